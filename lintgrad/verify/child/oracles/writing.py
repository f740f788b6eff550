"""Saved tensors that were written to before backward came: by an optimizer's step, or in place."""

from __future__ import annotations

from lintgrad.verify.child.changes import Changes
from lintgrad.verify.child.oracles.case import (
    Case,
    Judgement,
    at,
    confirmed,
    inconclusive,
    plural,
    refuted,
    unreached,
)
from lintgrad.verify.child.record import Record, Stale, Walk

_ERROR = "modified by an inplace operation"


def stepped(case: Case) -> Judgement:
    """The backward fails on a tensor that a step wrote to, and passes when the steps do nothing."""
    walks = case.here(case.record.walks)
    failed = [walk for walk in walks if _ERROR in walk.error]
    if not failed:
        passed = [walk for walk in walks if not walk.error]
        if len(passed) >= (2 if case.looped else 1) and case.record.steps:
            return refuted(
                f"{plural(len(passed), 'backward')} at line {case.asked.line} found all as it was saved"
            )
        return unreached(case, "a backward after a step")
    writers = [stale for stale in failed[0].stale if stale.by_step]
    if not writers:
        return refuted(f"{_said(failed[0])}; but no step wrote to it")
    if not any(stale.firm for stale in writers):
        return inconclusive(f"{_said(failed[0])}; but a stand-in had saved it")
    without = case.rerun(Changes(steps=False))
    if without is None or any(_ERROR in walk.error for walk in without.walks):
        return inconclusive(f"{_said(failed[0])}; a run without steps did not pass either")
    return confirmed(f"{_said(failed[0])}; {_wrote(writers[-1])}, and with steps that do nothing it passes")


def overwritten(case: Case) -> Judgement:
    """The backward fails on a tensor that the line wrote to in place."""
    failed = [walk for walk in case.record.walks if _ERROR in walk.error]
    stale = [s for walk in failed for s in walk.stale if not s.by_step]
    mine = case.here(stale)
    if any(s.firm for s in mine):
        return confirmed(f"{_said(failed[0])}; {_wrote(next(s for s in mine if s.firm))}")
    if mine:
        return inconclusive(f"{_said(failed[0])}; but a stand-in had saved it")
    if case.here(failed):
        said = _said(case.here(failed)[0])
        others = [s for walk in failed for s in walk.stale]
        return refuted(f"{said}; but {_wrote(others[0])}") if others else confirmed(said)
    return _unbroken(case, case.record)


def _unbroken(case: Case, record: Record) -> Judgement:
    wrote = any(line in case.place for lines in record.writes for line in lines)
    passed = [walk for walk in record.walks if not walk.error]
    if not (wrote or case.hits) or record.error is not None:
        return unreached(case, "a backward behind the write")
    if len(passed) >= (2 if case.looped else 1):
        return refuted(f"line {case.asked.line} wrote, and {plural(len(passed), 'backward')} passed")
    return unreached(case, "a backward behind the write")


def _said(walk: Walk) -> str:
    text = walk.error.split("; expected")[0]
    versions = walk.error.split("; expected")[1].split(".")[0] if "; expected" in walk.error else ""
    return f"RuntimeError at {at(walk.lines)}: {text[:220]}" + (f" (expected{versions})" if versions else "")


def _wrote(stale: Stale) -> str:
    return f"`{stale.writer}` of {at(stale.lines)} wrote to what `{stale.op}` of {at(stale.made)} had saved"
