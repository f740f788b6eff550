"""What an oracle is given, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from lintgrad.verify.child.changes import Changes
from lintgrad.verify.child.frames import Lines
from lintgrad.verify.child.record import Record, Walk
from lintgrad.verify.protocol import Asked, Outcome


@dataclass(frozen=True)
class Judgement:
    """What an oracle says, and why: one sentence."""

    outcome: Outcome
    why: str


class Happened(Protocol):
    """Anything of a record that has a place."""

    lines: Lines


Event = TypeVar("Event", bound=Happened)


@dataclass(frozen=True)
class Case:
    """One finding, one record; `rerun` runs the program again with changes (None: it could not be run).

    `place` are the lines of the finding's statement; `looped` whether a loop stands around it.
    """

    asked: Asked
    record: Record
    place: range
    looped: bool
    rerun: Callable[[Changes], Record | None]

    def here(self, events: Sequence[Event]) -> list[Event]:
        """The events at the finding's place; where none is, those of what its statement calls."""
        exact = [event for event in events if event.lines and event.lines[0] in self.place]
        return exact or [event for event in events if any(line in self.place for line in event.lines)]

    @property
    def hits(self) -> int:
        """How often the finding's statement ran."""
        return max((self.record.hits.get(line, 0) for line in self.place), default=0)

    def ended(self) -> bool:
        """Whether the run came to its own end."""
        return self.record.error is None and not self.record.out_of_time and not self.record.stopped

    def ran_on(self) -> bool:
        """Whether the run came to its end, or ran out of turns or time, without an error."""
        return self.record.error is None


def confirmed(why: str) -> Judgement:
    """The fault is there."""
    return Judgement("confirmed", why)


def refuted(why: str) -> Judgement:
    """The place was reached often enough, and the fault is not there."""
    return Judgement("refuted", why)


def inconclusive(why: str) -> Judgement:
    """Nothing can be said."""
    return Judgement("inconclusive", why)


def unreached(case: Case, what: str) -> Judgement:
    """Not enough happened at the place; `what` was looked for."""
    record, line = case.record, case.asked.line
    seen = f"line {line} ran {times(case.hits)}" if case.hits else f"not reached: line {line} never ran"
    if record.error is not None:
        where = f" at line {record.error.lines[0]}" if record.error.lines else ""
        return inconclusive(
            f"{seen}; the run ended{where} with {record.error.kind}: {record.error.text[:200]}"
        )
    if record.skipped:
        return inconclusive(f"{seen}, without {what}; skipped: {record.skipped[0]}")
    if record.out_of_time:
        return inconclusive(f"out of budget: {seen} in {record.seconds:.1f} s, without {what}")
    if record.stopped:
        return inconclusive(f"{seen}, without {what} (out of budget: loops were ended early)")
    return inconclusive(f"{seen}, without {what}")


def in_step(record: Record, other: Record) -> list[tuple[Walk, Walk]]:
    """The backwards of two runs in pairs, up to where the runs go different ways or end."""
    pairs = list[tuple[Walk, Walk]]()
    for pair in zip(record.walks, other.walks, strict=False):
        if pair[0].lines != pair[1].lines or not all(walk.digest for walk in pair):
            break
        pairs.append(pair)
    return pairs


def times(count: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def short(error: str) -> str:
    """What torch says, without its advice."""
    return error.strip().split("\n")[0].split(". ")[0].split(" (or directly")[0].rstrip(".")[:200]


def plural(count: int, noun: str) -> str:
    """`1 node`, `2 nodes`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def at(lines: Lines | int) -> str:
    """`line 12`, or where no line is known."""
    line = lines if isinstance(lines, int) else (lines[0] if lines else 0)
    return f"line {line}" if line else "torch itself"
