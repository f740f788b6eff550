"""Questions that the machine asks the library: kinds, statements without effect, star imports."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, cast

from lintgrad.diagnostics import Confidence
from lintgrad.machine import expressions, members
from lintgrad.machine.engines import EngineV
from lintgrad.machine.occasions import GradTypo, Rebound
from lintgrad.machine.statements import discarded, same_place
from lintgrad.machine.values import (
    Arguments,
    ClassV,
    FunctionV,
    GradOf,
    Instance,
    LibV,
    ModuleV,
    OptimizerV,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import (
    attributes,
    kinds,
    layers,
    ops,
)
from lintgrad.models.optim_names import OPTIMIZERS
from lintgrad.models.tensor_ops import op_info
from lintgrad.program import nodes
from lintgrad.program.text import text
from lintgrad.program.walk import descend

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

_MODULE_BASES = frozenset(
    """
    Module LightningModule PreTrainedModel Sequential ModuleList MessagePassing BertPreTrainedModel
    ModuleDict
    """.split()
)
_EXPORTS = {
    "torch.nn": ("Module", "Linear", "Sequential", "Parameter", "ModuleList", "ReLU", "Conv2d", "functional"),
    "torch": ("nn", "optim", "tensor", "randn", "no_grad", "autograd"),
    "torch.optim": ("SGD", "Adam", "AdamW", "RMSprop"),
}
_CONTEXTS = frozenset(
    """
    no_grad enable_grad inference_mode set_grad_enabled autocast detect_anomaly set_detect_anomaly
    """.split()
)
_METHODS_TO_CALL = frozenset("step zero_grad backward eval train requires_grad_ detach_ zero_".split())


_OWNED = frozenset(sys.stdlib_module_names) | frozenset(
    """
    accelerate apex catalyst deepspeed fastai ignite lightning lightning_fabric numpy pytorch_lightning
    scipy timm torch torchaudio torchvision tqdm transformers
    """.split()
)


class Questions:
    """What the library knows without calling anything."""

    def is_plain_module(self, base: LibV) -> bool:
        """`nn.Module` itself."""
        return base.name == "torch.nn.Module"

    def is_context(self, value: LibV) -> bool:
        """`torch.no_grad` and its like, uncalled."""
        return value.name.startswith("torch.") and value.name.rpartition(".")[2] in _CONTEXTS

    def is_module(self, base: LibV) -> bool:
        """Whether a library's class is an nn.Module."""
        last = base.name.rpartition(".")[2]
        if base.name.startswith("torch.nn."):
            return last in _MODULE_BASES or layers.layer_info(last) is not None
        return last in _MODULE_BASES

    def infer(self, m: Machine, place: str, uses: frozenset[str], value: Value) -> Value | None:
        """A kind told from uses."""
        if isinstance(value, Unknown) and (
            value.sources or value.reason in ("loader", "scheduler", "scaler", "option")
        ):
            return None
        return kinds.infer(m, place, uses, value)

    def annotated(self, m: Machine, annotation: str, place: str) -> Value | None:
        """A kind told from an annotation."""
        return kinds.annotated(m, annotation, place)

    def dropped(
        self, m: Machine, expr: nodes.Call, receiver: Value, name: str, args: Arguments, result: Value
    ) -> None:
        """A call stood as a statement: note it when it does nothing."""
        info = op_info(name)
        if info is None or not info.pure or "out" in args.keywords or info.result == "factory":
            return
        if name == "detach" and args.all():
            return  # a tensor's takes nothing: this is another object's
        if isinstance(receiver, LibV):
            tensor = next((v for v in args.positional if isinstance(v, Tensor)), None)
            if tensor is None or not receiver.name.startswith("torch") or receiver.name in _WRITERS:
                return
            receiver = tensor
        elif not _is_pure_receiver(receiver, name, info.result, arguments=bool(args.all())):
            return
        if name in ("item", "size", "backward", "data_ptr") and not isinstance(receiver, Tensor):
            return
        if info.result == "python" and name != "item":
            return
        discarded(m, expr, name, receiver, graph=isinstance(result, Tensor) and result.node is not None)

    def is_method(self, m: Machine, receiver: Value, name: str) -> Confidence | None:
        """Whether naming `receiver.name` as a statement was meant as a call."""
        if name not in _METHODS_TO_CALL:
            return None
        inner = (
            receiver.acts_as if isinstance(receiver, Unknown) and receiver.acts_as is not None else receiver
        )
        if isinstance(inner, EngineV) and inner.kind == "ddp" and inner.wraps is not None:
            inner = inner.wraps
        match inner:
            case OptimizerV():
                return Confidence.CERTAIN if name in ("step", "zero_grad") else None
            case Tensor() | GradOf():
                return (
                    Confidence.CERTAIN if name in ("backward", "detach_", "zero_", "requires_grad_") else None
                )
            case ModuleV():
                return (
                    Confidence.CERTAIN if name in ("eval", "train", "zero_grad", "requires_grad_") else None
                )
            case Instance():
                return _method_of_instance(inner, name)
            case Unknown():
                sure = name in ("backward", "zero_grad") or inner.reason == "scheduler"
                return Confidence.LIKELY if sure else Confidence.POSSIBLE
            case _:
                return None

    def note_update(self, m: Machine, stmt: nodes.Assign, value: Value) -> None:
        """`w = w - lr * w.grad` on a trained leaf: the name is bound to another tensor."""
        target = stmt.targets[0]
        if (
            not isinstance(stmt.value, nodes.BinOp)
            or not isinstance(value, Tensor)
            or not same_place(target, stmt.value.left)
        ):
            return
        old = expressions.evaluate(m, target)
        if not isinstance(old, Tensor) or value is old:
            return
        value.rebound = old.rebound  # what is made of it later has the same cause
        if old.leaf is None or not old.leaf.requires_grad:
            return
        reads = any(
            isinstance(part, nodes.Attribute) and part.attr == "grad" and same_place(part.value, target)
            for part in descend(stmt.value.right)
        )
        if reads:
            value.rebound = Rebound(**m.here(stmt), name=text(target))

    def note_typo(self, m: Machine, node: nodes.Node, how: str, written: str) -> None:
        """Note a statement that was meant to set requires_grad."""
        m.record(
            GradTypo(
                **m.here(node),
                how=cast("Literal['name', 'module', 'comparison']", how),
                written=written,
            )
        )

    def owns(self, module: str) -> bool:
        """Whether a file of this name stands in the shadow of Python's library, torch or a framework."""
        return module.partition(".")[0] in _OWNED

    def exports(self, module: str) -> tuple[str, ...]:
        """The names that a star import binds."""
        if module == "torch.nn":
            return (*layers.layer_names(), *_EXPORTS["torch.nn"])
        if module == "torch.optim":
            return tuple(OPTIMIZERS)
        return _EXPORTS.get(module, ())

    def imported(self, name: str) -> Value | None:
        """An imported name under its usual qualified name."""
        return LibV(attributes.canonical(name)) if attributes.canonical(name) != name else None

    def is_instance(self, m: Machine, value: Value, kind: Value) -> bool | None:
        """`isinstance` with torch's classes."""
        if not isinstance(kind, LibV):
            return (
                False
                if isinstance(value, ModuleV) and isinstance(kind, ClassV) and not value.state.opaque
                else None
            )
        last = kind.name.rpartition(".")[2]
        if isinstance(value, EngineV) and value.kind == "ddp":
            return last in ("Module", "DistributedDataParallel")
        if isinstance(value, ModuleV) and not value.state.opaque:
            return last in ("Module", value.kind)
        if isinstance(value, Instance) and value.module is not None:
            names = {getattr(b, "name", "").rpartition(".")[2] for b in value.cls.order}
            return last == "Module" or last in names
        if isinstance(value, OptimizerV):
            return last in ("Optimizer", value.kind)
        return None

    def read_number(self, m: Machine, value: Value, node: nodes.Node) -> None:
        """`float(tensor)` reads it."""
        if isinstance(value, GradOf):
            ops.read_gradient(value)


_WRITERS = frozenset({"torch.nn.init", "torch.distributed"})
"""Their functions fill what they are given, under names without `_` too."""

_MOVES = frozenset("cuda cpu to half float double bfloat16".split())
"""What tensors and modules both have: a module is changed by them."""


def _is_pure_receiver(receiver: Value, name: str, result: str, *, arguments: bool) -> bool:
    """Whether the receiver is surely a tensor, or the method one that only tensors have."""
    if isinstance(receiver, (Tensor, GradOf)):
        return True
    if isinstance(receiver, Unknown) and name in _MOVES:
        return False  # what is not known to be a tensor may well be a module
    if isinstance(receiver, Unknown) and receiver.acts_as is None:
        return (name == "detach" and not arguments) or (bool(receiver.sources) and result in ("graph", "cut"))
    return isinstance(receiver, Unknown) and isinstance(receiver.acts_as, Tensor)


def _method_of_instance(instance: Instance, name: str) -> Confidence | None:
    member = members.class_member(instance.cls, name)
    if isinstance(member, FunctionV) and member.kind != "property":
        return Confidence.CERTAIN
    if instance.module is not None and name in ("eval", "train", "zero_grad"):
        return Confidence.CERTAIN
    return None
