"""LG402: a step or a backward goes past the gradient scaler that the other one uses."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import by_site, call_of, step_of, strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Gradient
from lintgrad.machine.observations import Backward, Step
from lintgrad.machine.scaling import ScalerStep, ScalerV


def check(run: Run) -> Iterator[Finding]:
    """Report steps on scaled gradients, and scaler's steps on gradients that were never scaled."""
    yield from strongest([*_direct_steps(run), *_plain_backwards(run)])


def _direct_steps(run: Run) -> Iterator[Finding]:
    for trace, step in run.events(Step):
        if step.scaler is not None:
            continue
        for gradient in step.fresh:
            scaler = gradient.backward.scaler
            if isinstance(scaler, ScalerV) and gradient.unscaled is None:
                if not gradient.backward.seq <= scaler.touched <= step.seq:
                    yield _direct(trace, step, gradient.backward, scaler)
                    break


def _direct(trace: Trace, step: Step, backward: Backward, scaler: ScalerV) -> Finding:
    name = scaler.place or "scaler"
    return Finding(
        step.site,
        f"{step_of(step.name)} applies gradients that are multiplied by the loss scale: the step is "
        "thousands of times too long",
        (
            PathStep(backward.site, "backward fills `.grad` from the scaled loss"),
            PathStep(step.site, "nothing has divided them by the scale"),
        ),
        help=f"write `{name}.step({step.name or 'optimizer'})`, once, and `{name}.update()` after it",
        confidence=sure(trace, scaler.confidence, step.confidence),
    )


def _plain_backwards(run: Run) -> Iterator[Finding]:
    for events in by_site(run, ScalerStep).values():
        switched = [trace for trace, event in events if event.scaled and not event.plain]
        for trace, event in events:
            gradient = next((g for g in event.plain if _is_plain(g, event)), None)
            if gradient is not None and all(_runs(other, gradient.backward) for other in switched):
                yield _plain(trace, event, gradient.backward)


def _is_plain(gradient: Gradient, event: ScalerStep) -> bool:
    """Whether the loss of a gradient surely was not scaled, by the scaler or by hand."""
    backward = gradient.backward
    if not backward.tapes or backward.framework or event.scaler.asked:
        return False
    return event.scaler.touched < 0 and all(not node.unseen for node in backward.nodes)


def _runs(trace: Trace, backward: Backward) -> bool:
    """Whether the path has this backward too: else which is scaled hangs on a choice that both follow."""
    return any(other.site == backward.site for other in trace.of(Backward))


def _plain(trace: Trace, event: ScalerStep, backward: Backward) -> Finding:
    name = event.name or "scaler"
    return Finding(
        backward.site,
        f"{call_of(backward)} runs on a loss that was not scaled, but `{name}.step()` divides its gradients "
        "by the loss scale",
        (
            PathStep(backward.site, "these gradients are of the right size"),
            PathStep(event.site, "here they are divided by the scale all the same"),
        ),
        help=f"write `{name}.scale({backward.name or 'loss'}).backward()`",
        confidence=sure(trace, event.scaler.confidence, backward.confidence),
    )
