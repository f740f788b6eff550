"""LG313: ReduceLROnPlateau steps without the value that it watches."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.schedules import SchedulerStep, ScheduleV
from lintgrad.machine.values import Symbol


def check(run: Run) -> Iterator[Finding]:
    """Report steps that are given nothing, or the number of the turn."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(SchedulerStep):
        schedule = event.schedule
        if schedule is None or schedule.kind != "ReduceLROnPlateau":
            continue
        if not event.given:
            what = "is given no metric"
            yield _finding(trace, event, schedule, what, "and raises", Confidence.CERTAIN)
        elif isinstance(event.argument, Symbol) and event.argument.kind == "index":
            what = "is given the number of the turn for a metric"
            yield _finding(trace, event, schedule, what, "and that one only grows", Confidence.LIKELY)


def _finding(
    trace: Trace, event: SchedulerStep, schedule: ScheduleV, what: str, end: str, confidence: Confidence
) -> Finding:
    name = f"`{event.name}.step()`" if event.name else "`step()`"
    built = [PathStep(schedule.site, "the scheduler watches a metric")] if schedule.site else []
    return Finding(
        event.site,
        f"{name} {what}: `ReduceLROnPlateau` goes by what it is handed, {end}",
        (*built, PathStep(event.site, f"it {what}")),
        help="pass the value to watch, as in `scheduler.step(val_loss)`",
        confidence=sure(trace, confidence),
    )
