"""LG311: a scheduler steps before its optimizer's first step."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Step
from lintgrad.machine.schedules import SchedulerStep


def check(run: Run) -> Iterator[Finding]:
    """Report schedules that run ahead of the training."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(SchedulerStep):
        if event.given or event.optimizer is None:
            continue  # it follows a metric, or is told the epoch: then it skips nothing
        steps = [step for step in trace.of(Step) if step.optimizer is event.optimizer]
        if steps and all(step.seq > event.seq for step in steps) and not trace.exhausted:
            yield _finding(trace, event, steps[0])


def _finding(trace: Trace, event: SchedulerStep, step: Step) -> Finding:
    name = f"`{event.name}.step()`" if event.name else "`scheduler.step()`"
    return Finding(
        event.site,
        f"{name} runs before the optimizer's first step: the first learning rate of the schedule is skipped",
        (PathStep(event.site, "the schedule moves on"), PathStep(step.site, "the first step comes after it")),
        help="step the scheduler after the optimizer, at the end of the batch or the epoch",
        confidence=sure(trace, step.confidence),
    )
