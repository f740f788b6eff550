"""Results of `autograd.grad` that have no graph and are added to tensors that have one.

What is computed of such results carries the lines of the calls that gave them, until it is detached or made
a number. A product is not looked at: a factor without a graph is a weight.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lintgrad.verify.child.frames import Lines, user_lines
from lintgrad.verify.child.record import Walk
from lintgrad.verify.child.tensors import tensors
from lintgrad.verify.child.watchers.watcher import Call, Watcher

_KEY = "lintgrad_slopes"
_SUMS = frozenset(
    "add add_ __add__ __radd__ __iadd__ sub sub_ __sub__ __rsub__ __isub__ rsub stack cat concat lerp "
    "addcmul addcdiv".split()
)


@dataclass
class Slopes(Watcher):
    """Sees `added-slope`, once for each call of `autograd.grad`; `at` is the line of the sum."""

    is_on: bool = False
    added: set[Lines] = field(default_factory=set)

    def gave(self, walk: Walk, results: Any) -> None:
        """Mark what `autograd.grad` returns."""
        if walk.fills:
            return
        for tensor in tensors(results):
            if not tensor.requires_grad:
                tensor.__dict__[_KEY] = {walk.lines}
                self.is_on = True

    def called(self, call: Call) -> None:
        """Hand the marks on, and see where a marked tensor is added to one with a graph."""
        if not self.is_on or call.name == "detach":
            return
        marks = _marks(call.given)
        if not marks:
            return
        for tensor in call.results:
            if not tensor.requires_grad:
                tensor.__dict__[_KEY] = marks | tensor.__dict__.get(_KEY, set())
            elif call.name in _SUMS:
                at = (user_lines() or (0,))[0]
                for lines in marks - self.added:
                    self.saw("added-slope", lines, at=at)
                self.added |= marks


def _marks(given: Any) -> set[Lines]:
    return set[Lines]().union(*(tensor.__dict__.get(_KEY, set()) for tensor in given))
