"""LG307: a step with no backward since the last clear, on every path."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._empty_step import empty_steps
from lintgrad.checks._paths import step_of
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run
from lintgrad.machine.closures import ClosureStep
from lintgrad.machine.observations import Backward, Clear


def check(run: Run) -> Iterator[Finding]:
    """Report steps whose parameters have got no gradient since they were cleared."""
    evaluated = {event.site for _, event in run.events(ClosureStep) if event.given}
    for trace, event, confidence in empty_steps(run):
        if event.lost is not None or not event.cleared or event.site in evaluated:
            continue
        clears = [c for c in trace.of(Clear) if c.seq < event.seq]
        if any(clears[-1].seq < b.seq < event.seq for b in trace.of(Backward) if clears):
            continue  # there is a backward, and it reaches nothing: that is another rule's
        before = [PathStep(clears[-1].site, "the gradients are cleared here")] if clears else []
        yield Finding(
            event.site,
            f"{step_of(event.name)} has nothing to apply: no backward runs between the clear and the step",
            (*before, PathStep(event.site, "every `.grad` is empty here")),
            help="call `loss.backward()` before the step",
            confidence=confidence,
        )
