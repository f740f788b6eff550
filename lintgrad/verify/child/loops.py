"""Which loops the program is in, in which of their turns, and when a loop has had enough of them.

A loop in which a backward runs is a training loop. It is ended early once it has shown what there is to
see; other loops make the data and are left alone while there is time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from lintgrad.verify.child.frames import Lines, user_lines
from lintgrad.verify.child.record import Stamp

_MANY = 64
"""Turns of a training loop that are left alone while the run is young."""
_ENOUGH = 8
"""Turns after which a training loop may end once the run has taken its share of the time."""
_EPOCHS = 4
"""The same for a loop around a training loop."""
_FEW = 3
"""Turns after which a training loop may end when time runs short."""


@dataclass
class Patience:
    """How long a run may take: after `soft` seconds training loops end early, after `hard` all do.

    `is_shown` says whether what is looked for has happened often enough by far.
    """

    soft: float
    hard: float
    turns: int = 0
    is_shown: Callable[[], bool] = lambda: False
    begun: float = field(default_factory=time.monotonic)

    def is_over(self) -> bool:
        """Whether every loop is to end."""
        return time.monotonic() - self.begun > self.hard

    def enough(self, turn: int, *, trains: bool, outer: bool) -> bool:
        """Whether a loop may end before turn number `turn` (the first is 1)."""
        spent = time.monotonic() - self.begun
        if not trains:
            return spent > self.hard and turn > _MANY
        if spent > self.hard:
            return turn > _FEW
        if spent > self.soft:
            return turn > (_FEW if self.is_shown() else _EPOCHS if outer else _ENOUGH)
        return turn > (self.turns or _MANY)


@dataclass
class Loops:
    """The loops of a running program; `bodies` are their lines, `firsts` the lines they begin at.

    `on_turn` is called at the head of each turn with the loop's number. `stopped` are the turns, counted over
    all loops, at which one was ended; a run that is to go the same way gets them as `stops`. `inside` are the
    loops that have begun and not ended.
    """

    bodies: list[range]
    firsts: list[int]
    patience: Patience
    on_turn: Callable[[int], None]
    is_wanted: Callable[[], bool] = lambda: False
    stops: frozenset[int] | None = None
    now: Stamp = field(default_factory=dict)
    trains: set[int] = field(default_factory=set)
    outer: set[int] = field(default_factory=set)
    turns: int = 0
    stopped: list[int] = field(default_factory=list)
    inside: set[int] = field(default_factory=set)
    _cut_short: set[int] = field(default_factory=set)
    _around: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.now = dict.fromkeys(range(len(self.bodies)), (0, 0))

    def enter(self, loop: int) -> None:
        """The loop begins."""
        self.now[loop] = (self.now[loop][0] + 1, 0)
        self.inside.add(loop)

    def turn(self, loop: int) -> bool:
        """A turn of the loop begins; false when the loop is to end instead."""
        entry, turn = self.now[loop]
        self.now[loop] = (entry, turn + 1)
        self.turns += 1
        self.on_turn(loop)
        if self.stops is None:
            over = self.patience.enough(turn + 1, trains=loop in self.trains, outer=loop in self.outer)
            over = over and not (self.is_wanted() and turn < _MANY)
        else:
            over = self.turns in self.stops or (self.patience.is_over() and loop in self.trains)
        if over:
            self.stopped.append(self.turns)
            self._cut_short.add(loop)
        return not over

    def leave(self, loop: int) -> None:
        """The loop has ended: once more, what its turns left is looked at, unless that was just done."""
        self.inside.discard(loop)
        if loop in self._cut_short:
            self._cut_short.discard(loop)
            return
        entry, turn = self.now[loop]
        self.now[loop] = (entry, turn + 1)
        self.on_turn(loop)

    def items(self, values: Iterable[object], loop: int) -> Iterator[object]:
        """The values that a comprehension goes through, each a turn of its loop."""
        self.enter(loop)
        for value in values:
            if not self.turn(loop):
                break
            yield value
        self.leave(loop)
        self.enter(loop)  # what stands beside it on its line is in none of its turns

    def stamp(self, lines: Lines | None = None) -> Stamp:
        """The present turn of each loop around the lines that run."""
        lines = user_lines() if lines is None else lines
        return {loop: self.now[loop] for line in lines for loop in self._at(line)}

    def walked(self, stamp: Stamp) -> None:
        """A backward ran: the loops around it are training loops."""
        self.trains.update(stamp)
        # What lies closest to the backward comes first in a stamp.
        self.outer.update(list(stamp)[1:])

    def _at(self, line: int) -> tuple[int, ...]:
        if line not in self._around:
            self._around[line] = tuple(
                n for n, body in reversed(list(enumerate(self.bodies))) if line in body
            )
        return self._around[line]


def earlier(past: Stamp, present: Stamp) -> set[int]:
    """The loops of `present` in an earlier turn of which, since the loop was entered, `past` lies."""
    return {
        loop
        for loop, (entry, turn) in present.items()
        if loop in past and past[loop][0] == entry and past[loop][1] < turn
    }
