"""LG401: gradients are clipped while they are still multiplied by the loss scale."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Gradient
from lintgrad.machine.observations import Step
from lintgrad.machine.occasions import Clip
from lintgrad.machine.scaling import ScalerV, Unscale


def check(run: Run) -> Iterator[Finding]:
    """Report clips of scaled gradients that a scaler's step then applies."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Clip):
        for gradient in event.scaled:
            step = _step(trace, event, gradient)
            if step is not None:
                yield _finding(trace, event, gradient, step)
                break


def _step(trace: Trace, event: Clip, gradient: Gradient) -> Step | None:
    """The step that a scaler takes with the gradient, or may take where it is not seen whose it is."""
    if gradient.applied is not None:
        return gradient.applied if gradient.applied.scaler is not None else None
    if gradient.leaf is None or gradient.leaf.owner is not None or gradient.unscaled is None:
        return None
    later = (step for step in trace.of(Step) if step.seq > event.seq)
    return next((step for step in later if step.scaler is gradient.backward.scaler), None)


def _finding(trace: Trace, event: Clip, gradient: Gradient, step: Step) -> Finding:
    scaler = gradient.backward.scaler
    assert isinstance(scaler, ScalerV)
    name = next((e.name for e in trace.of(Unscale) if e.scaler is scaler), "") or scaler.place or "scaler"
    late = isinstance(gradient.unscaled, Unscale)
    undone = gradient.unscaled if late and gradient.unscaled is not None else step
    return Finding(
        event.site,
        "the clip sees gradients that are still multiplied by the loss scale: what `step()` applies is cut "
        "to the threshold divided by it",
        (
            PathStep(gradient.backward.site, "backward fills `.grad` from the scaled loss"),
            PathStep(event.site, "clipped at this scale"),
            PathStep(undone.site, "only here are the gradients divided by the scale"),
        ),
        help=f"call `{name}.unscale_({step.name or 'optimizer'})` between the backward and the clip",
        confidence=sure(trace, scaler.confidence, event.confidence),
    )
