"""LG314: gradients are clipped where there are none, or after the step that used them."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import by_site, strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward
from lintgrad.machine.occasions import Clip


def check(run: Run) -> Iterator[Finding]:
    """Report clips that change nothing a step will use, on every path."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for events in by_site(run, Clip).values():
        if any(trace.exhausted or not (event.empty or event.applied) for trace, event in events):
            continue
        known = [(t, e) for t, e in events if e.sure or e.applied]
        if known:
            yield _finding(*known[0])


def _finding(trace: Trace, event: Clip) -> Finding:
    why = (
        "before any backward has filled the gradients"
        if event.empty
        else "after the step has used the gradients"
    )
    later = next((b for b in trace.of(Backward) if b.seq > event.seq), None)
    steps = [PathStep(event.site, f"clipped here, {why}")]
    if later is not None:
        steps.append(PathStep(later.site, "the gradients that the next step uses are made here"))
    return Finding(
        event.site,
        f"the clip runs {why}: what `step()` applies is not clipped",
        tuple(steps),
        help="clip between `backward()` and `step()`",
        confidence=sure(trace, event.confidence),
    )
