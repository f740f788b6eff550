"""Schedulers that move on before their optimizer has stepped."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from lintgrad.verify.child.frames import Program, user_lines
from lintgrad.verify.child.loops import earlier
from lintgrad.verify.child.record import Sight, Stamp
from lintgrad.verify.child.watchers.watcher import Watcher

_KEY = "lintgrad_stepped"


@dataclass
class Scheduling(Watcher):
    """Sees `schedule` at each scheduler's first step: `early` where its optimizer had not stepped.

    Then `first` and `then` are the learning rates before and after, and `used` tells, once the optimizer has
    stepped, of the rate of its first step; it is 0 till then. `waits` where the first step came in a later
    turn than a backward that it had been given: the program accumulates.
    """

    early: list[tuple[weakref.ref[Any], Sight, Stamp]] = field(default_factory=list)
    pending: bool = False

    def install(self) -> None:
        """See the steps of all schedulers of torch that the program makes itself."""
        for kind in vars(torch.optim.lr_scheduler).values():
            if isinstance(kind, type) and "step" in vars(kind):
                setattr(kind, "step", self._stepping(vars(kind)["step"]))  # noqa: B010

    def reaches(self, *_: object) -> None:
        """A backward came: there is something to step with."""
        self.pending = True

    def steps(self, optimizer: torch.optim.Optimizer) -> None:
        """The optimizer's first step ends the wait of those that were early."""
        optimizer.__dict__[_KEY] = True
        self.pending = False
        for known, sight, stamp in self.early:
            if known() is optimizer and not sight.facts["used"]:
                sight.facts["used"] = _rate(optimizer)
                sight.facts["waits"] = sight.facts["pending"] and bool(earlier(stamp, self.loops.stamp()))

    def _stepping(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def watched(scheduler: Any, *args: Any, **kwargs: Any) -> Any:
            optimizer = getattr(scheduler, "optimizer", None)
            by_user = sys._getframe(1).f_code.co_filename == Program.file  # noqa: SLF001 - see frames
            if optimizer is None or not by_user or _KEY in scheduler.__dict__:
                return step(scheduler, *args, **kwargs)
            scheduler.__dict__[_KEY] = True
            before = _rate(optimizer)
            result = step(scheduler, *args, **kwargs)
            sight = self.saw(
                "schedule", early=_KEY not in optimizer.__dict__, first=before, then=_rate(optimizer)
            )
            sight.facts.update(used=0.0, waits=False, pending=self.pending)
            if sight.facts["early"]:
                self.early.append((weakref.ref(optimizer), sight, self.loops.stamp(user_lines())))
            return result

        return watched


def _rate(optimizer: Any) -> float:
    return float(optimizer.param_groups[0]["lr"])
