"""LG302: gradients are cleared after backward and before any step has used them."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._empty_step import empty_steps
from lintgrad.checks._paths import by_site, call_of, step_of, strongest, sure
from lintgrad.checks._unreached import unreached_steps
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward, Clear, Step
from lintgrad.machine.values import OptimizerV


def check(run: Run) -> Iterator[Finding]:
    """Report steps that find nothing because a clear took it away, and backwards that are wholly undone."""
    yield from _empty_steps(run)
    yield from strongest(_undone(run))


def _undone(run: Run) -> Iterator[Finding]:
    """A backward whose whole work, on every path, a clear takes away before any step."""
    for events in by_site(run, Backward, lambda event: bool(event.gradients)).values():
        if not all(_is_lost(trace, event) for trace, event in events):
            continue
        trace, event = events[0]
        clear = next((c for c in trace.of(Clear) if any(g in c.unused for g in event.gradients)), None)
        later = [step for step in trace.of(Step) if clear is not None and step.seq > clear.seq]
        if clear is None or not later or any(step.lost is not None for step in later):
            continue  # a step that finds nothing for it is reported itself
        yield Finding(
            clear.site,
            f"`{clear.name}.zero_grad()` clears the gradients of {call_of(event)} before any step "
            "has applied them",
            (
                PathStep(event.site, "backward adds its gradients"),
                PathStep(clear.site, "they are cleared, and no step has used them"),
            ),
            help=(
                "step before clearing, or clear once before the first of the backwards that "
                "belong to one step"
            ),
            confidence=sure(trace, event.confidence, Confidence.LIKELY),
        )


def _is_lost(trace: Trace, event: Backward) -> bool:
    """Whether nothing used what this backward added, and something took all of it away."""
    cleared = {id(g) for clear in trace.of(Clear) for g in clear.unused}
    owned = all(isinstance(leaf.owner, OptimizerV) and leaf.owner.complete for leaf in event.leaves)
    return (
        owned
        and not trace.exhausted
        and all(g.applied is None and not g.read and id(g) in cleared for g in event.gradients)
    )


def _empty_steps(run: Run) -> Iterator[Finding]:
    elsewhere = {found.step.site for found in unreached_steps(run)}
    for _, event, confidence in empty_steps(run):
        clear = event.lost
        if clear is None or event.site in elsewhere:
            continue
        name = step_of(event.name)
        cleared = f"`{clear.name}.zero_grad()`" if clear.name else "`zero_grad()`"
        yield Finding(
            event.site,
            f"{name} finds no gradient: {cleared} has cleared what backward computed, so nothing is trained",
            (
                PathStep(clear.unused[0].backward.site, "backward adds its gradients"),
                PathStep(clear.site, "they are cleared before any step has used them"),
                PathStep(event.site, "the step finds nothing"),
            ),
            help="clear before backward, or after the step; never between the two",
            confidence=confidence,
        )
