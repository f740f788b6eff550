"""LG305: the last batches of an epoch fill no window, and a clear throws their gradients away."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._accumulation import collected
from lintgrad.checks._paths import call_of, step_of, strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward, Clear, Step
from lintgrad.machine.replicas import LoaderPass
from lintgrad.machine.turns import chain


def check(run: Run) -> Iterator[Finding]:
    """Report clears outside the loop over the batches that take what no step has applied."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    steps = {found.backward.site: found.step for found in collected(run)}
    for trace in run.traces:
        for clear in trace.of(Clear):
            lost = next((g.backward for g in clear.unused if g.backward.site in steps), None)
            if lost is None or not _outside(clear, lost) or not _has_rest(trace, lost):
                continue
            if not trace.asked_last and not _flushed(run, lost):
                yield _finding(trace, lost, clear, steps[lost.site])


def _outside(clear: Clear, lost: Backward) -> bool:
    """Whether the clear comes when the loop over the batches has ended."""
    return lost.turn is not None and all(turn.loop is not lost.turn.loop for turn in chain(clear.turn))


def _has_rest(trace: Trace, lost: Backward) -> bool:
    """Whether the batches come from a loader, and need not fill their windows, which are mostly even."""
    assert lost.turn is not None
    passes = [one for one in trace.of(LoaderPass) if one.site == lost.turn.loop.site]
    return any(one.loader.batches is None or one.loader.batches % 2 == 1 for one in passes)


def _flushed(run: Run, lost: Backward) -> bool:
    """Whether a step after the loop applies the rest on some path."""
    assert lost.turn is not None
    return any(
        gradient.backward.site == lost.site
        and all(t.loop.site != lost.turn.loop.site for t in chain(step.turn))
        for _, step in run.events(Step)
        for gradient in step.fresh
    )


def _finding(trace: Trace, lost: Backward, clear: Clear, step: Step) -> Finding:
    name = f"`{clear.name}.zero_grad()`" if clear.name else "`zero_grad()`"
    return Finding(
        clear.site,
        f"{name} throws away the gradients of the epoch's last batches, which fill no window",
        (
            PathStep(lost.site, f"{call_of(lost)} adds to the window"),
            PathStep(step.site, f"{step_of(step.name)} comes when the window is full"),
            PathStep(clear.site, "what is left at the end of the loop is cleared, unused"),
        ),
        help="step once more after the last batch, or clear after each step alone and let the window run on",
        confidence=sure(trace, Confidence.LIKELY),
    )
