"""Observations of training loops that a framework runs around the user's methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from lintgrad.machine.observations import Backward, Event
from lintgrad.machine.values import Tensor

if TYPE_CHECKING:
    from lintgrad.diagnostics import Site
    from lintgrad.machine.values import Value

Returned = Literal["loss", "nothing", "number", "unknown"]


@dataclass(slots=True, eq=False, kw_only=True)
class TrainingStep(Event):
    """One call of a module's `training_step` by its trainer; `site` is the method, `name` the class.

    `automatic` says whether the trainer runs backward and steps itself (None: not known); `by_hand` are the
    backwards and steps that the method ran itself, of what it trains; `escaped` that it handed something to
    code that is not seen. `optimizers` counts those that are configured, -1 where not all are known;
    `configured` is the method that makes them, `forgotten` that it returns nothing; `switched` where
    automatic optimization was switched; `by_index` that the method is called for each optimizer's index.
    `clips` and `accumulates` tell what the trainer was asked to do, `newest` that it is Lightning 2.
    """

    automatic: bool | None = None
    returned: Returned = "unknown"
    by_hand: list[Event] = field(default_factory=list)
    escaped: bool = False
    optimizers: int = -1
    schedulers: list[Value] = field(default_factory=list)
    configured: Site | None = None
    forgotten: bool = False
    switched: Site | None = None
    by_index: bool = False
    clips: bool = False
    accumulates: bool = False
    trainer: Site | None = None
    newest: bool = False


def is_of(event: Event, loss: Value) -> bool:
    """Whether an event is a backward of the very loss that a method has returned."""
    if not isinstance(event, Backward) or event.kind != "backward" or event.root is None:
        return False
    return isinstance(loss, Tensor) and event.root.tape is loss.tape
