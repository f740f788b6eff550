"""Learning rate schedulers: what they were built with, and their steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintgrad.machine.observations import Event
from lintgrad.machine.values import Unknown

if TYPE_CHECKING:
    from lintgrad.machine.turns import Activation
    from lintgrad.machine.values import OptimizerV, Value


@dataclass(slots=True, eq=False)
class ScheduleV(Unknown):
    """A scheduler of class `kind`; `options` are the arguments that it was built with, by name."""

    kind: str = ""
    options: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False, kw_only=True)
class SchedulerStep(Event):
    """`scheduler.step()`, of a scheduler over `optimizer`.

    `given` says that it was called with arguments, of which `argument` is the first. `schedule` is the
    scheduler itself where it was seen to be built. `counted` is the loop around whose number of turns it was
    built for, `batches` says that it was built for a number of batches. `early` are milestones that this
    loop's turns would just fit.
    """

    optimizer: OptimizerV | None = None
    given: bool = False
    argument: Value | None = None
    schedule: ScheduleV | None = None
    counted: Activation | None = None
    batches: bool = False
    early: bool = False
