"""LG407: a DistributedSampler is walked in several epochs and never told which."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._passes import in_loop
from lintgrad.checks._paths import strongest, sure, way_back
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward
from lintgrad.machine.replicas import LoaderPass, SamplerV, distributed_sampler
from lintgrad.machine.values import Lit


def check(run: Run) -> Iterator[Finding]:
    """Report samplers that give the same order in each epoch of a training."""
    told = {s.site for _, event in run.events(LoaderPass) if (s := _sampler(event)) is not None and s.told}
    yield from strongest(f for trace in run.traces for f in _findings(trace) if f.site not in told)


def _sampler(event: LoaderPass) -> SamplerV | None:
    return distributed_sampler(event.loader.sampler)


def _findings(trace: Trace) -> Iterator[Finding]:
    first: dict[int, LoaderPass] = {}
    for event in trace.of(LoaderPass):
        sampler = _sampler(event)
        if sampler is None or _may_be_told(sampler) or event.loader.touched >= 0:
            continue
        before = first.setdefault(id(sampler), event)
        if before is not event and _trains(trace, before, event):
            yield _finding(trace, sampler, before, event)


def _may_be_told(sampler: SamplerV) -> bool:
    shuffled = not (isinstance(sampler.shuffle, Lit) and sampler.shuffle.value is False)
    return sampler.told or sampler.touched >= 0 or not shuffled or sampler.site is None


def _trains(trace: Trace, first: LoaderPass, second: LoaderPass) -> bool:
    """Whether the loader of the first pass gives a backward its data."""
    return any(first.seq < b.seq < second.seq and in_loop(b, first) for b in trace.of(Backward))


def _finding(trace: Trace, sampler: SamplerV, first: LoaderPass, second: LoaderPass) -> Finding:
    assert sampler.site is not None
    return Finding(
        sampler.site,
        "this `DistributedSampler` is never told the epoch: each epoch has the same batches in one order",
        (
            PathStep(sampler.site, "it shuffles by its seed and its epoch, which is 0 until `set_epoch`"),
            PathStep(first.site, "an epoch walks its loader"),
            *way_back(first, second),
            PathStep(second.site, "the next one gets the same order"),
        ),
        help="call `sampler.set_epoch(epoch)` at the start of each epoch",
        confidence=sure(trace),
    )
