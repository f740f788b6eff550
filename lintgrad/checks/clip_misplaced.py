"""LG314: gradients are clipped where there are none, after their step, or in part."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._left_out import names_of
from lintgrad.checks._partial import Partial, partial_clips
from lintgrad.checks._paths import by_site, step_of, strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward
from lintgrad.machine.occasions import Clip


def check(run: Run) -> Iterator[Finding]:
    """Report clips that change nothing a step will use, on every path, or a part of it alone."""
    yield from strongest([*_findings(run), *(_part(found) for found in partial_clips(run))])


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


def _part(found: Partial) -> Finding:
    step = step_of(found.step.name)
    named = names_of(found.missed)
    missed = f"{len(found.missed)} parameters ({named})" if named else f"{len(found.missed)} parameters"
    return Finding(
        found.clip.site,
        f"the clip leaves out {missed} that {step} moves: their gradients are applied as they came",
        (
            PathStep(found.clip.site, "a part of the optimizer's parameters is clipped"),
            PathStep(found.step.site, "the step applies the gradients of all of them"),
        ),
        help="clip all parameters that the optimizer holds",
        confidence=sure(found.trace, found.step.confidence, Confidence.LIKELY),
    )
