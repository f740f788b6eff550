"""transformers' Trainer and those built on it: a loop around the user's `compute_loss` or `training_step`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine import calls, loops, members
from lintgrad.machine.engines import EngineV
from lintgrad.machine.managed import TrainingStep, is_of
from lintgrad.machine.stops import Signal
from lintgrad.machine.values import (
    Arguments,
    FunctionV,
    Instance,
    ListV,
    OptimizerV,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import engines, modules, tensors

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

ENTRIES = frozenset(("compute_loss", "training_step"))
_LIBRARIES = ("transformers.", "trl.", "sentence_transformers.", "setfit.")


def is_trainer(instance: Instance) -> bool:
    """Whether the instance's class is a Trainer of transformers, or of a library built on it."""
    return any(
        base.name.endswith("Trainer") and base.name.startswith(_LIBRARIES)
        for base in members.library_bases(instance.cls)
    )


def drive(m: Machine, instance: Instance, method: nodes.FunctionDef) -> None:
    """Train a model as the trainer would, with the user's `method` in its place: two batches."""
    member = members.class_member(instance.cls, method.name)
    if not isinstance(member, FunctionV):
        return
    model = modules.opaque(m, method, "model")
    optimizer = OptimizerV(
        "", m.leaves_of(model), opaque=True, name="the trainer", confidence=Confidence.LIKELY
    )
    if method.name == "training_step":
        engines.manage(m, EngineV("transformers", name="self.accelerator"), model, method)

    def turn(batch: Value) -> Signal:
        before = len(m.trace.events)
        bound = members.bind(m, instance, member, method)
        wanted = [p.name for p in method.parameters if p.kind not in ("star", "double")][1:]
        given = dict(zip(wanted, (model, batch), strict=False))
        result = calls.call_value(m, bound, Arguments([], given), method)
        if method.name == "compute_loss":
            _optimize(m, instance, method, result, before)
        m.step(method, optimizer, name="the trainer")
        m.clear(method, optimizer.leaves, name="the trainer")
        return None

    loops.walk(m, Unknown("loader", m.site(method), place="loader"), method, turn)


def _optimize(m: Machine, instance: Instance, method: nodes.FunctionDef, result: Value, before: int) -> None:
    """Backward on the loss that `compute_loss` returned, unless it ran one itself."""
    loss = result.items[0] if isinstance(result, ListV) and result.items else result
    by_hand = [event for event in m.trace.events[before:] if is_of(event, loss)]
    m.record(
        TrainingStep(
            **m.here(method),
            name=instance.cls.definition.name,
            automatic=True,
            returned="loss" if isinstance(loss, Tensor) else "unknown",
            by_hand=by_hand,
        )
    )
    if isinstance(loss, Tensor) and not by_hand:
        if loss.tape is None and loss.doubt:
            tensors.believe(m, loss, method)
        m.backward(method, [loss], name="the returned loss", framework=True)
