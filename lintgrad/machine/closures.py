"""Steps that evaluate a closure: what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from lintgrad.machine.observations import Event

if TYPE_CHECKING:
    from lintgrad.machine.graph import Gradient
    from lintgrad.machine.values import OptimizerV

Returned = Literal["something", "nothing"]


@dataclass(slots=True, eq=False, kw_only=True)
class ClosureStep(Event):
    """A step of an optimizer that evaluates a closure several times, before it applies anything.

    `given` is None where it is not known whether there was one. Of one that was run, `returned` tells what it
    gave back, `filled` whether a backward or the program itself set a gradient in it, and `piled` are
    gradients of an earlier evaluation that lay under those of the last one. `once` when the optimizer was
    built to evaluate it once alone.
    """

    optimizer: OptimizerV | None = None
    given: bool | None = True
    seen: bool = False
    returned: Returned = "something"
    filled: bool = False
    piled: list[Gradient] = field(default_factory=list)
    once: bool = False
