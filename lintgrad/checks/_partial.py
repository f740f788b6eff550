"""Clips that bound a part of what a step applies: ground of LG314."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Leaf
from lintgrad.machine.observations import Forward, Step
from lintgrad.machine.occasions import Clip
from lintgrad.machine.protocol import leaves_under
from lintgrad.machine.values import OptimizerV


@dataclass(frozen=True, slots=True)
class Partial:
    """A `clip` before `step` that leaves out the parameters `missed`."""

    trace: Trace
    clip: Clip
    step: Step
    missed: list[Leaf]


def partial_clips(run: Run) -> Iterator[Partial]:
    """Each clip that is partial on all paths on which it runs.

    A part of one network is clipped on purpose at times, as its recurrent layers. Where an optimizer's
    parameters were put together from several networks, all of them are meant.
    """
    if any(trace.exhausted for trace in run.traces):
        return
    found = [one for trace in run.traces for one in _of(trace)]
    whole = {clip.site for _, clip in run.events(Clip)} - {one.clip.site for one in found}
    paths = {site: sum(1 for t in run.traces if _has(t, site)) for site in {one.clip.site for one in found}}
    for one in found:
        partly = len({id(other.trace) for other in found if other.clip.site == one.clip.site})
        if one.clip.site not in whole and partly == paths[one.clip.site]:
            yield one


def _has(trace: Trace, site: object) -> bool:
    return any(clip.site == site for clip in trace.of(Clip))


def _of(trace: Trace) -> Iterator[Partial]:
    clips = list(trace.of(Clip))
    networks = _networks(trace)
    for step in trace.of(Step):
        optimizer = step.optimizer
        if not clips or not isinstance(optimizer, OptimizerV) or not step.complete or not step.sure:
            continue
        fresh = {id(g.leaf): g.leaf for g in step.fresh if g.leaf is not None}
        since = max((g.backward.seq for g in step.fresh), default=step.seq)
        before = [clip for clip in clips if since < clip.seq < step.seq]
        clipped = {id(leaf) for clip in before for leaf in clip.leaves}
        missed = [leaf for key, leaf in fresh.items() if key not in clipped]
        if clipped & fresh.keys() and missed and frozenset(fresh) not in networks:
            if not any(leaf.opaque or leaf.touched >= 0 for leaf in optimizer.leaves):
                yield Partial(trace, before[-1], step, missed)


def _networks(trace: Trace) -> set[frozenset[int]]:
    """The parameters of each module that was called."""
    modules = {id(event.module): event.module for event in trace.of(Forward)}
    return {
        frozenset(id(leaf) for leaf in leaves_under(module) if leaf.requires_grad)
        for module in modules.values()
    }
