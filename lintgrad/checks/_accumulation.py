"""Backwards whose gradients are collected over several turns before a step: ground of LG304 and LG305."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lintgrad.diagnostics import Site
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Gradient
from lintgrad.machine.observations import Backward, Clear, Step


@dataclass(frozen=True, slots=True)
class Collected:
    """A `backward` whose gradients lie over those of an earlier turn, and the `step` for both."""

    trace: Trace
    backward: Backward
    step: Step


def collected(run: Run) -> Iterator[Collected]:
    """Each backward, at one place, that adds to what it gave a turn before, till a counted step."""
    steps = _counted_steps(run)
    for trace in run.traces:
        groups = [
            *(step.fresh for step in trace.of(Step)),
            *(clear.unused for clear in trace.of(Clear)),
            _left(trace),
        ]
        for gradients in groups:
            for site, backward in _twice(gradients).items():
                if site in steps:
                    yield Collected(trace, backward, steps[site])


def _left(trace: Trace) -> list[Gradient]:
    """What no step has applied when the path ends."""
    gradients = [gradient for made in trace.of(Backward) for gradient in made.gradients]
    leaves = {id(one.leaf): one.leaf for one in gradients if one.leaf is not None}
    return [one for leaf in leaves.values() for one in leaf.gradients if one.applied is None]


def _counted_steps(run: Run) -> dict[Site, Step]:
    """By the place of a backward: a step in the same loop, under a condition that counts its turns."""
    found: dict[Site, Step] = {}
    for _, step in run.events(Step):
        for gradient in step.fresh:
            made = gradient.backward
            if step.counted and _same_loop(step, made) and not made.framework:
                found.setdefault(made.site, step)
    return found


def _same_loop(step: Step, made: Backward) -> bool:
    return (
        step.turn is not None
        and made.turn is not None
        and not step.turn.loop.bounded
        and step.turn.loop.site == made.turn.loop.site
    )


def _twice(gradients: list[Gradient]) -> dict[Site, Backward]:
    """By its place, the backward that gave the same parameter something in two turns of a loop."""
    first: dict[tuple[Site, int], Backward] = {}
    found: dict[Site, Backward] = {}
    for gradient in gradients:
        made = gradient.backward
        before = first.setdefault((made.site, id(gradient.leaf)), made)
        if before is made or before.turn is None or made.turn is None:
            continue
        if before.turn.loop is made.turn.loop and before.turn is not made.turn:
            found[made.site] = made
    return found
