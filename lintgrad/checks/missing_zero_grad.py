"""LG301: an optimizer steps again on gradients that it has already applied."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import step_of, strongest, sure, way_back
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Step


def check(run: Run) -> Iterator[Finding]:
    """Report steps that apply contributions which an earlier step has applied."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Step):
        same = [g for g in event.again if g.applied is not None and g.applied.optimizer is event.optimizer]
        if event.sure and event.again and (event.fresh or same):
            yield _finding(trace, event)


def _finding(trace: Trace, event: Step) -> Finding:
    old = event.again[0]
    assert old.applied is not None
    name = step_of(event.name)
    fresh = f", added to those of {_backward(event)}" if event.fresh else ""
    return Finding(
        event.site,
        f"{name} applies gradients that an earlier step has applied{fresh}: nothing clears them in between",
        (
            PathStep(old.backward.site, "backward adds its gradients"),
            PathStep(old.applied.site, "this step applies them, and they stay in `.grad`"),
            *way_back(old.applied, event),
            PathStep(event.site, "they are applied once more"),
        ),
        help=(
            f"call `{event.name or 'optimizer'}.zero_grad()` once before each backward, or right "
            "after each step"
        ),
        confidence=sure(trace, event.confidence, Confidence.CERTAIN if event.complete else Confidence.LIKELY),
    )


def _backward(event: Step) -> str:
    name = event.fresh[0].backward.name
    return f"`{name}.backward()`" if name else "the last backward"
