"""LG312: a schedule built for epochs is stepped each batch, or one built for batches each epoch."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import by_site, strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Step
from lintgrad.machine.schedules import SchedulerStep
from lintgrad.machine.turns import Activation, chain


def check(run: Run) -> Iterator[Finding]:
    """Report schedules whose horizon is in another unit than their steps."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for events in by_site(run, SchedulerStep).values():
        fast = [(trace, event) for trace, event in events if _each_batch(trace, event)]
        slow = [(trace, event) for trace, event in events if _each_epoch(trace, event)]
        if fast and len(fast) == len(events):
            yield _too_fast(*fast[0])
        elif slow:
            yield _too_slow(*slow[0])


def _each_batch(trace: Trace, event: SchedulerStep) -> bool:
    """Whether a schedule for the turns of a loop is stepped in each turn of a loop within."""
    turn, loop = event.turn, event.counted
    if turn is None or loop is None or turn.loop is loop or turn.loop.bounded:
        return False
    # The loop within is the batches': the optimizer steps in each of its turns.
    return any(step.optimizer is event.optimizer and step.turn is turn for step in trace.of(Step))


def _each_epoch(trace: Trace, event: SchedulerStep) -> bool:
    """Whether a schedule for a number of batches is stepped after a whole loop over them."""
    turn = event.turn
    if turn is None or not event.batches or turn.loop.bounded or event.optimizer is None:
        return False
    steps = [step for step in trace.of(Step) if step.optimizer is event.optimizer]
    inner = [step for step in steps if step.turn is not turn and turn in chain(step.turn)]
    same = [step for step in steps if step.turn is turn]
    others = [
        one for one in trace.of(SchedulerStep) if one.schedule is event.schedule and one.site != event.site
    ]
    return bool(inner) and not same and not others and not any(_bounded(step, turn.loop) for step in inner)


def _bounded(step: Step, outer: Activation) -> bool:
    """Whether a step lies in a loop over a known short list, which need not be the batches."""
    inner = [turn.loop for turn in chain(step.turn)]
    return any(loop.bounded for loop in inner[: inner.index(outer)])


def _too_fast(trace: Trace, event: SchedulerStep) -> Finding:
    loop = event.counted
    assert loop is not None
    how = (
        "its milestones fit the turns of this loop"
        if event.early
        else "it was built for the turns of this loop"
    )
    return Finding(
        event.site,
        f"{_step(event)} runs once a batch, and its schedule was built for a number of epochs: it is through "
        "within the first batches",
        (
            *_built(event),
            PathStep(loop.site, how),
            PathStep(event.site, "it moves on in each turn of a loop within"),
        ),
        help="step it once an epoch, or build it for `epochs * len(loader)`",
        confidence=sure(trace, Confidence.LIKELY),
    )


def _too_slow(trace: Trace, event: SchedulerStep) -> Finding:
    return Finding(
        event.site,
        f"{_step(event)} runs once an epoch, and its schedule was built for a number of batches: the "
        "learning rate hardly moves",
        (*_built(event), PathStep(event.site, "it moves on once in a whole loop over the batches")),
        help="step it after each batch, or build it for the number of epochs",
        confidence=sure(trace, Confidence.LIKELY),
    )


def _step(event: SchedulerStep) -> str:
    return f"`{event.name}.step()`" if event.name else "`step()`"


def _built(event: SchedulerStep) -> list[PathStep]:
    site = event.schedule.site if event.schedule is not None else None
    return [PathStep(site, "the schedule is built here")] if site is not None else []
