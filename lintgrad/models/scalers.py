"""torch.amp.GradScaler: scale, unscale_, step, update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine import conditions
from lintgrad.machine.graph import Gradient
from lintgrad.machine.protocol import handed, written
from lintgrad.machine.scaling import ScalerStep, ScalerUpdate, ScalerV, Unscale
from lintgrad.machine.values import (
    NONE,
    Arguments,
    ContextV,
    ListV,
    Lit,
    OptimizerV,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import ops, tensors
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def construct(m: Machine, args: Arguments, node: nodes.Expr) -> ScalerV:
    """`GradScaler(device, enabled=...)`: whether it is enabled is one choice along the path."""
    made = ScalerV("scaler", m.site(node), place="scaler", made=True)
    made.facts.update(none=False, true=True)
    made.updated = m.tick()
    given = args.keywords.get("enabled")
    if given is not None:
        made.enabled = _enabled(m, given, node)
    return made


def _enabled(m: Machine, given: Value, node: nodes.Expr) -> bool:
    written_as = (
        [a.value for a in node.arguments if a.keyword == "enabled"] if isinstance(node, nodes.Call) else []
    )
    if written_as and isinstance(written_as[0], (nodes.Compare, nodes.BoolOp, nodes.UnaryOp)):
        return conditions.truth(m, written_as[0], True, 1)
    return conditions.holds(m, given, node, True, 1)


def autocast(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`autocast(device, enabled=...)`: lower precision for the operations in it."""
    given = args.keywords.get("enabled")
    off = isinstance(given, Lit) and not given.value
    return ContextV("no autocast" if off else "autocast")


def inferred(place: str, confidence: Confidence = Confidence.LIKELY) -> ScalerV:
    """A scaler that is only known from its uses."""
    return ScalerV("scaler", place=place, confidence=confidence)


def method(m: Machine, scaler: ScalerV, name: str, args: Arguments, node: nodes.Expr) -> Value:
    """A method of a GradScaler."""
    scaler.facts.update(none=False, true=True)
    match name:
        case "scale":
            return _scale(m, scaler, args.first, node)
        case "step":
            return _step(m, scaler, args, node)
        case "unscale_":
            _unscale(m, scaler, args.first, node)
            return NONE
        case "update":
            _update(m, scaler, args, node)
            return NONE
        case "get_scale":
            scaler.asked = True
        case "__call__":
            m.touched_all = m.seq
        case _:
            pass
    return m.unknown(node, "plain")


def _scale(m: Machine, scaler: ScalerV, value: Value, node: nodes.Expr) -> Value:
    if not scaler.enabled:
        return value
    if isinstance(value, ListV):
        m.spend()
        return ListV(value.kind, [_scale(m, scaler, one, node) for one in value.items], value.exact, m.tick())
    tensor = m.as_tensor(value, node)
    if tensor is not None and tensor.tape is None and isinstance(value, Unknown) and m.grad:
        tensors.believe(m, tensor, node)
    scaled = ops.apply(m, "mul", [value, m.unknown(node, "scale")], {}, node)
    if isinstance(scaled, Tensor):
        scaled.numel = value.numel if isinstance(value, Tensor) else scaled.numel
        scaled.name = value.name if isinstance(value, Tensor) else ""
        if scaled.node is not None:
            scaled.node.scaler = scaler
            m.scaling = True
    return scaled


def _optimizer(value: Value) -> OptimizerV | None:
    inner = value.acts_as if isinstance(value, Unknown) and value.acts_as is not None else value
    return inner if isinstance(inner, OptimizerV) else None


def _step(m: Machine, scaler: ScalerV, args: Arguments, node: nodes.Expr) -> Value:
    optimizer = _optimizer(args.first)
    if optimizer is None:
        if isinstance(args.first, Unknown):
            scaler.touched = m.touched_all = m.seq
        return m.unknown(node, "plain")
    if scaler.enabled:
        _note_step(m, scaler, optimizer, node)
    event = m.step(node, optimizer, name=handed(node))
    event.scaler = scaler
    return m.unknown(node, "plain")


def _note_step(m: Machine, scaler: ScalerV, optimizer: OptimizerV, node: nodes.Expr) -> None:
    last = scaler.done.get(id(optimizer))
    fresh = [g for leaf in optimizer.leaves for g in leaf.gradients if g.applied is None]
    event = ScalerStep(
        **m.here(node),
        name=written(node),
        scaler=scaler,
        optimizer=optimizer,
        again=last if isinstance(last, ScalerStep) else None,
        scaled=[g for g in fresh if g.backward.scaler is scaler],
        plain=[g for g in fresh if g.backward.scaler is None],
        outdated=[g for g in fresh if g.outdated is not None and g.unscaled is None],
    )
    _mark_unscaled(scaler, optimizer, event)
    scaler.done[id(optimizer)] = event
    m.record(event)


def _unscale(m: Machine, scaler: ScalerV, value: Value, node: nodes.Expr) -> None:
    if not scaler.enabled:
        return
    optimizer = _optimizer(value)
    if optimizer is None:
        scaler.touched = m.seq  # whichever optimizer that is
        return
    event = Unscale(
        **m.here(node),
        name=written(node),
        scaler=scaler,
        optimizer=optimizer,
        again=scaler.done.get(id(optimizer)),
    )
    _mark_unscaled(scaler, optimizer, event)
    scaler.done[id(optimizer)] = event
    m.record(event)


def _mark_unscaled(scaler: ScalerV, optimizer: OptimizerV, event: Unscale | ScalerStep) -> None:
    """The gradients of the optimizer are as they should be; of what it may hold unseen, too."""
    mine = [g for leaf in optimizer.leaves for g in leaf.gradients]
    if not optimizer.complete or optimizer.opaque:
        mine += [
            g
            for backward in scaler.backwards
            for g in backward.gradients
            if g.leaf is None or g.leaf.owner is None or g.leaf.owner is optimizer
        ]
    for gradient in mine:
        if gradient.applied is None and gradient.backward.scaler is scaler:
            gradient.unscaled = gradient.unscaled or event


def _update(m: Machine, scaler: ScalerV, args: Arguments, node: nodes.Expr) -> None:
    if not scaler.enabled:
        return
    event = ScalerUpdate(
        **m.here(node),
        name=written(node),
        scaler=scaler,
        empty=not scaler.done and not args.all() and _known_since_update(m, scaler),
    )
    for backward in scaler.backwards:
        for gradient in backward.gradients:
            if gradient.applied is None and gradient.unscaled is None:
                gradient.outdated = gradient.outdated or event
    scaler.updated = event.seq
    scaler.done.clear()
    scaler.backwards.clear()
    m.record(event)


def _known_since_update(m: Machine, scaler: ScalerV) -> bool:
    """Whether all that was done with the scaler since its last update has been seen."""
    return scaler.made and max(scaler.touched, m.touched_all) < scaler.updated


def only_measures(args: Arguments, node: nodes.Expr) -> bool:
    """Whether a clip's threshold is infinite: it is asked for the norm alone."""
    limit = args.get(1, "max_norm")
    if isinstance(limit, Lit):
        return limit.value == float("inf")
    if not isinstance(node, nodes.Call):
        return False
    return any(_infinite(a.value) for a in node.arguments if a.keyword in (None, "max_norm"))


def _infinite(expr: nodes.Expr) -> bool:
    """`float("inf")`, `math.inf`."""
    match expr:
        case nodes.Call(
            func=nodes.Name(id="float"), arguments=(nodes.Argument(value=nodes.Const(value=str(of))),)
        ):
            return "inf" in of.lower()
        case nodes.Attribute(attr="inf" | "Inf"):
            return True
        case _:
            return False


def scaled(m: Machine, gradients: list[Gradient]) -> list[Gradient]:
    """Those of `gradients` that surely are still multiplied by a loss scale."""
    return [
        g
        for g in gradients
        if isinstance(g.backward.scaler, ScalerV)
        and g.applied is None
        and g.unscaled is None
        and max(g.backward.scaler.touched, m.touched_all) < g.backward.seq
    ]
