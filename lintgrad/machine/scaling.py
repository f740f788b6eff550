"""Gradient scalers: what each has done for its optimizers since its last update, and what happens to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine.observations import Event
from lintgrad.machine.values import Unknown

if TYPE_CHECKING:
    from lintgrad.machine.graph import Gradient
    from lintgrad.machine.observations import Backward
    from lintgrad.machine.values import OptimizerV


@dataclass(slots=True, eq=False)
class ScalerV(Unknown):
    """A GradScaler.

    `enabled` is False where it hands everything through. `done` has, by the id of each optimizer, the
    last of unscale and step since the update; `backwards` those of losses that it scaled, as long as their
    gradients may be there scaled. `made` says that its construction was seen; `touched` when unknown code
    last had it, `updated` when it was last updated or made; `asked` that its scale was read, so that losses
    may be scaled by hand.
    """

    enabled: bool = True
    made: bool = False
    confidence: Confidence = Confidence.CERTAIN
    done: dict[int, Event] = field(default_factory=dict)
    backwards: list[Backward] = field(default_factory=list)
    touched: int = -1
    updated: int = -1
    asked: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Unscale(Event):
    """`scaler.unscale_(optimizer)`.

    `again` is the unscale or step of the same optimizer that no update has followed: torch raises.
    """

    scaler: ScalerV
    optimizer: OptimizerV
    again: Event | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class ScalerStep(Event):
    """`scaler.step(optimizer)`, right before the optimizer steps.

    `again` is the step of the same optimizer that no update has followed: torch raises. `scaled` are its new
    gradients of scaled losses, `plain` those of losses that were not scaled; `outdated` those whose scale an
    update has changed since.
    """

    scaler: ScalerV
    optimizer: OptimizerV
    again: Event | None = None
    scaled: list[Gradient] = field(default_factory=list)
    plain: list[Gradient] = field(default_factory=list)
    outdated: list[Gradient] = field(default_factory=list)


@dataclass(slots=True, eq=False, kw_only=True)
class ScalerUpdate(Event):
    """`scaler.update()`; `empty` when nothing was unscaled or stepped since the last one: torch raises."""

    scaler: ScalerV
    empty: bool = False


def followed(event: Backward) -> None:
    """A backward ran a loss that a scaler had scaled."""
    scaler = next((node.scaler for node in event.nodes if node.scaler is not None), None)
    if isinstance(scaler, ScalerV):
        event.scaler = scaler
        scaler.backwards.append(event)
