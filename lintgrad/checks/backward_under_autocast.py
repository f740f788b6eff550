"""LG404: a backward runs inside an autocast block."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward


def check(run: Run) -> Iterator[Finding]:
    """Report backwards that the user calls where autocast is on."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Backward):
        if event.autocast is not None and event.kind == "backward" and event.tapes and not event.framework:
            yield _finding(trace, event)


def _finding(trace: Trace, event: Backward) -> Finding:
    assert event.autocast is not None
    return Finding(
        event.site,
        f"{call_of(event)} runs under autocast, which is meant for the forward and the loss alone",
        (
            PathStep(event.autocast, "autocast is entered here"),
            PathStep(event.site, "it is still on in the backward"),
        ),
        help="leave the `with` block before the backward",
        confidence=sure(trace, event.confidence),
    )
