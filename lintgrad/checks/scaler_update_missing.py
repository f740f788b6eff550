"""LG403: a gradient scaler is not updated once after each iteration's steps."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure, way_back
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Event
from lintgrad.machine.scaling import ScalerStep, ScalerUpdate, Unscale


def check(run: Run) -> Iterator[Finding]:
    """Report what raises for want of an update, and updates that come too early."""
    yield from strongest([*_again(run), *_updates(run)])


def _again(run: Run) -> Iterator[Finding]:
    for trace in run.traces:
        for event in trace.events:
            if isinstance(event, (Unscale, ScalerStep)) and event.again is not None:
                if event.scaler.touched < event.again.seq:
                    yield _second(trace, event, event.again)


def _second(trace: Trace, event: Unscale | ScalerStep, first: Event) -> Finding:
    name = event.name or "scaler"
    call = f"`{name}.unscale_()`" if isinstance(event, Unscale) else f"`{name}.step()`"
    before = "unscaled" if isinstance(first, Unscale) else "stepped"
    return Finding(
        event.site,
        f"{call} finds that its optimizer was {before} already since the last "
        f"`{name}.update()`: torch raises",
        (
            PathStep(first.site, f"the optimizer is {before}"),
            *way_back(first, event),
            PathStep(event.site, "no update has come in between"),
        ),
        help=f"call `{name}.update()` once after each iteration's steps, also where a step is left out",
        confidence=sure(trace, event.scaler.confidence, event.optimizer.confidence),
    )


def _updates(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(ScalerUpdate):
        if event.empty:
            yield _empty(trace, event)
    for trace, step in run.events(ScalerStep):
        for gradient in step.outdated:
            if isinstance(gradient.outdated, ScalerUpdate):
                yield _early(trace, gradient.outdated, gradient.backward, step)
                break


def _empty(trace: Trace, event: ScalerUpdate) -> Finding:
    name = event.name or "scaler"
    return Finding(
        event.site,
        f"`{name}.update()` runs where nothing was unscaled or stepped since the last one: torch raises",
        (PathStep(event.site, "the scaler has looked at no gradient yet"),),
        help=f"call `{name}.update()` after `{name}.step(optimizer)`, and only where that has run",
        confidence=sure(trace, event.scaler.confidence),
    )


def _early(trace: Trace, event: ScalerUpdate, backward: Event, step: ScalerStep) -> Finding:
    name = event.name or "scaler"
    return Finding(
        event.site,
        f"`{name}.update()` may change the scale while scaled gradients wait for their step: they are "
        "divided by another scale than they were multiplied by",
        (
            PathStep(backward.site, "these gradients are multiplied by the scale of now"),
            PathStep(event.site, "the scale may change here"),
            PathStep(step.site, "they are divided by the new one"),
        ),
        help=f"call `{name}.update()` once, after the last step of the iteration",
        confidence=sure(trace, event.scaler.confidence, Confidence.LIKELY),
    )
