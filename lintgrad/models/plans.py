"""Stock layers on a single tensor, which is how nearly all of them are called.

What a layer of a class does with a tensor is the same each time, so it is looked up once for the class and
not for each call. The result is that of `modules.forward` in all else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine.graph import Saved
from lintgrad.machine.values import Lit, ModuleV, Numel, Tensor, Value
from lintgrad.models import contents, layers, ops, optable, shapes, summands, tensor_ops, tensors

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

_STATELESS = ("activation", "dropout", "other", "layer", "norm")


@dataclass(frozen=True, slots=True)
class Plan:
    """What the layers of one class without parameters do: which function they are, and what that tells."""

    layer: layers.LayerInfo
    op: tensor_ops.OpInfo
    numel: Numel | None
    pools: bool


@lru_cache(maxsize=1024)
def plan(kind: str) -> Plan | None:
    """What a layer of the class `kind` does; None where it is more than a function of one tensor."""
    layer = layers.layer_info(kind)
    if layer is None or layer.kind not in _STATELESS or kind == "Identity":
        return None
    op = tensor_ops.op_info(layer.op)
    if op is None or op.result != "graph" or op.parts != 1 or op.inplace or layer.op in contents.LOSSES:
        return None
    numel = {"one": Numel.ONE, "reduce": Numel.ONE, "loss": Numel.ONE, "same": None}.get(
        op.numel, Numel.UNKNOWN
    )
    return Plan(layer, op, numel, kind.startswith("AdaptiveAvgPool"))


def run(m: Machine, module: ModuleV, known: Plan, given: Tensor, node: nodes.Expr) -> Tensor:
    """Call a layer without parameters on a tensor."""
    name = known.layer.op
    training = module.state.training is not False
    if name == "dropout" and not training:
        result = given  # the tensor itself, no copy
    elif tensors.flag(module.options.get("inplace"), False):
        ops.in_place(m, name, [(given, given)], node)
        result = given
    else:
        result = _applied(m, module, known, given, node)
    if result.content is not None:
        result.content = contents.of_layer(result.content, name, module.site)
    return result


def _applied(m: Machine, module: ModuleV, known: Plan, given: Tensor, node: nodes.Expr) -> Tensor:
    """What the layer's function makes of the tensor."""
    op, name, site = known.op, known.layer.op, m.site(node)
    result = Tensor(given.storage if op.view else m.storage(), site=site)
    result.numel = given.numel if known.numel is None else known.numel
    values: list[Value] = [given]
    result.shape = shapes.of_result(name, values, {})
    if result.shape is not None and result.numel is Numel.UNKNOWN:
        result.numel = shapes.numel(result.shape)
    result.integer = op.integer
    result.content = contents.of_result(name, [(given, given)], site)
    if op.view:
        result.view, result.base, result.leaf = True, given.base or given, given.leaf
        result.silent_writes = given.silent_writes
    tape = given.tape
    result.doubt = given.doubt and tape is None
    result.ungraphed = given.ungraphed if tape is None or m.grad else m.ungraphed(node, (tape,), (given,))
    if tape is None or not m.grad:
        if not op.integer:
            result.cut = given.cut
        return result
    kept = _kept(name, module.state.training is not False, _variant(module, known))
    watched = [Saved(given.storage, given.storage.version)] if 0 in kept.inputs else []
    if kept.result:
        watched.append(Saved(result.storage, result.storage.version))
    keeps = kept.anything if kept.known else None
    confidence = Confidence.CERTAIN if kept.known else Confidence.LIKELY
    result.node = m.node(name, node, (tape,), tuple(watched), keeps, confidence)
    result.terms = summands.terms(m, name, [(given, given)])
    return result


def _variant(module: ModuleV, known: Plan) -> str:
    """What only a constant argument of the layer tells."""
    size = module.options.get("output_size") if known.pools else None
    return "one" if isinstance(size, Lit) and size.value == 1 else known.layer.variant


@lru_cache(maxsize=4096)
def _kept(name: str, training: bool, variant: str) -> optable.Saved:
    return optable.saved(name, [optable.GRAPH], training=training, variant=variant)
