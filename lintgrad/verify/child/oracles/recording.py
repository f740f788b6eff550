"""What gradients would have come, had they not been turned off at the place."""

from __future__ import annotations

from lintgrad.verify.child.changes import Changes, lines_of
from lintgrad.verify.child.oracles.case import (
    Case,
    Judgement,
    at,
    confirmed,
    plural,
    refuted,
    short,
    times,
    unreached,
)
from lintgrad.verify.child.record import Record, Step


def missed(case: Case) -> Judgement:
    """With gradients on at the place, an error is gone, or steps find more."""
    if case.hits and not case.here(case.record.of("off")):
        return refuted(f"{at(case.asked.line)} ran {times(case.hits)} and turned no gradients off")
    # A decorator's line is run, and yet counted with none.
    other = case.rerun(Changes(record=lines_of(case.place)))
    if other is None:
        return unreached(case, "a second run")
    line = at(case.asked.line)
    error = case.record.error
    if error is not None and "does not require grad" in error.text and other.error is None:
        return confirmed(f"{short(error.text)}; again with gradients on in {line}, it passes")
    pair = _first_difference(case.record, other)
    if pair is not None:
        mine, its = pair
        return confirmed(
            f"the step in {at(mine.lines)} found gradients of {plural(mine.fresh, 'parameter')}, of norm "
            f"{mine.norm:.3g}; again with gradients on in {line}, of {its.fresh}, of norm {its.norm:.3g}"
        )
    if case.hits and case.ran_on() and case.record.steps:
        count = plural(len(case.record.steps), "step")
        return refuted(f"{count} found the same gradients again with gradients on in {line}")
    return unreached(case, "a step")


def _first_difference(record: Record, other: Record) -> tuple[Step, Step] | None:
    """The first step that finds another gradient in the second run."""
    for mine, its in zip(record.steps, other.steps, strict=False):
        if mine.lines != its.lines:
            return None
        if mine.fresh < its.fresh or abs(mine.norm - its.norm) > 1e-3 * max(mine.norm, its.norm):
            return mine, its
    return None
