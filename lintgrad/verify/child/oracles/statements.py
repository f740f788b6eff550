"""Statements that do nothing: a result dropped, a method named and not called."""

from __future__ import annotations

from lintgrad.verify.child.changes import Changes, lines_of
from lintgrad.verify.child.oracles.case import (
    Case,
    Judgement,
    confirmed,
    in_step,
    inconclusive,
    plural,
    refuted,
    times,
    unreached,
)
from lintgrad.verify.child.record import Record


def without_effect(case: Case) -> Judgement:
    """The result is dropped, the tensor is as before, and a run without the statement comes to the same."""
    drops = [drop for drop in case.record.drops if drop.line in case.place and drop.kind != "named"]
    if not drops and case.hits:
        return refuted(f"line {case.asked.line} ran {times(case.hits)} and drops no result of a method")
    if not drops:
        return unreached(case, "a dropped result")
    for drop in drops:
        if drop.kind == "other":
            return refuted(f"`{drop.method}` at line {drop.line} is called on something that is no tensor")
        if drop.method.endswith("_"):
            return refuted(
                f"`{drop.method}` at line {drop.line} works in place, and its result is the same tensor"
            )
        if drop.changed or _wrote(case, drop.line):
            return refuted(f"`{drop.method}` at line {drop.line} changed a tensor")
    return _same_without(case, drops[0].line, f"`{drops[0].method}` left its tensor as it was")


def _wrote(case: Case, line: int) -> bool:
    """Whether something was written in place by what stands at a line, be it to an argument."""
    return any(line in lines for lines in case.record.writes)


def never_called(case: Case) -> Judgement:
    """The statement names a method, and a run without the statement comes to the same."""
    drops = [drop for drop in case.record.drops if drop.line in case.place and drop.kind == "named"]
    if drops:
        return _same_without(case, drops[0].line, f"`{drops[0].method}` was named and not called")
    if case.hits:
        return refuted(f"line {case.asked.line} ran {times(case.hits)} and named no method")
    return unreached(case, "the statement")


def nothing_set(case: Case) -> Judgement:
    """An attribute that torch does not know is set, or compared, and a run without that comes to the same."""
    sights = case.here(case.record.of("set-nothing"))
    if sights:
        facts = sights[0].facts
        done = "compared and not set" if facts["how"] == "compared" else "no attribute that its class knows"
        return _same_without(case, case.asked.line, f"`{facts['name']}` of a {facts['owner']} is {done}")
    if case.hits:
        return refuted(f"line {case.asked.line} ran {times(case.hits)} and set no unknown attribute")
    return unreached(case, "the setting of an attribute")


def _same_without(case: Case, line: int, seen: str) -> Judgement:
    without = case.rerun(Changes(drop=lines_of(case.place)))
    if without is None:
        return inconclusive(f"{seen}, but the program without the statement could not be run")
    other = _difference(case.record, without)
    if other:
        return refuted(f"without the statement, {other}")
    often = times(case.hits)
    walks = min(len(case.record.walks), len(without.walks))
    return confirmed(f"line {line} ran {often}: {seen}, and leaving it out changed none of {_what(walks)}")


def _what(walks: int) -> str:
    return plural(walks, "backward") if walks else "all that the program prints"


def _difference(old: Record, new: Record) -> str:
    changed = [walk for walk, other in in_step(old, new) if walk.digest != other.digest]
    if changed:
        return f"the backward of line {changed[0].lines[0]} gives other gradients"
    if (old.error is None) != (new.error is None):
        return "the run ends otherwise"
    return "" if old.printed == new.printed or old.walks else "the program prints something else"
