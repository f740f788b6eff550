"""LG317: LBFGS steps without a closure, or with one that does not do its work."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import by_site, step_of, strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.closures import ClosureStep


def check(run: Run) -> Iterator[Finding]:
    """Report steps that raise or learn nothing for want of a closure that clears, runs backward, returns."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for events in by_site(run, ClosureStep).values():
        for trace, event in events:
            if event.given is False:
                yield _missing(trace, event)
            elif event.seen and event.returned == "nothing":
                yield _empty(trace, event)
            elif event.seen and event.piled and not event.once:
                yield _piled(trace, event)
        if all(event.seen and not event.filled for _, event in events):
            yield _idle(*events[0])


def _missing(trace: Trace, event: ClosureStep) -> Finding:
    return Finding(
        event.site,
        f"{step_of(event.name)} has no closure: LBFGS evaluates the loss several times in a step, and raises",
        _path(event, "it is stepped as other optimizers are"),
        help=_HELP,
        confidence=sure(trace, event.confidence),
    )


def _empty(trace: Trace, event: ClosureStep) -> Finding:
    return Finding(
        event.site,
        f"the closure of {step_of(event.name)} returns nothing: LBFGS asks it for the loss, and raises",
        _path(event, "the closure gives back None"),
        help="end the closure with `return loss`",
        confidence=sure(trace, event.confidence),
    )


def _piled(trace: Trace, event: ClosureStep) -> Finding:
    return Finding(
        event.site,
        f"the closure of {step_of(event.name)} does not clear: the gradients of all its evaluations add up",
        (
            PathStep(event.piled[0].backward.site, "the first evaluation adds its gradients"),
            PathStep(event.site, "the next evaluation adds to them, in the same step"),
        ),
        help="begin the closure with `optimizer.zero_grad()`",
        confidence=sure(trace, event.confidence, Confidence.LIKELY),
    )


def _idle(trace: Trace, event: ClosureStep) -> Finding:
    return Finding(
        event.site,
        f"the closure of {step_of(event.name)} runs no backward: LBFGS finds no new gradient, "
        "and nothing is learned",
        _path(event, "the closure computes the loss alone"),
        help=_HELP,
        confidence=sure(trace, event.confidence, Confidence.LIKELY),
    )


def _path(event: ClosureStep, what: str) -> tuple[PathStep, ...]:
    built = event.optimizer.site if event.optimizer is not None else None
    return (*([PathStep(built, "the optimizer is built here")] if built else []), PathStep(event.site, what))


_HELP = (
    "pass a function that clears the gradients, computes the loss, calls `backward()` and returns the loss"
)
