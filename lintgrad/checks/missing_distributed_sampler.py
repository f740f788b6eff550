"""LG408: under DistributedDataParallel every process trains on a loader that is not split."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._passes import in_loop
from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward
from lintgrad.machine.replicas import LoaderPass, LoaderV, Replicated, SamplerV


def check(run: Run) -> Iterator[Finding]:
    """Report loaders of a replicated model's training that give each process the same data."""
    if any(_splits(event.loader) for _, event in run.events(LoaderPass)):
        return  # it knows how: which loader is split may hang on a choice
    yield from strongest(f for trace in run.traces for f in _findings(trace))


def _splits(loader: LoaderV) -> bool:
    sampler = loader.sampler
    if isinstance(sampler, SamplerV) and sampler.kind == "BatchSampler":
        sampler = sampler.inner
    return loader.split or not (sampler is None or (isinstance(sampler, SamplerV) and sampler.kind in _WHOLE))


_WHOLE = frozenset("RandomSampler SequentialSampler WeightedRandomSampler SubsetRandomSampler".split())
"""Samplers that draw from all the data in each process."""


def _findings(trace: Trace) -> Iterator[Finding]:
    replicas = {id(event): event for event in trace.of(Replicated)}
    if not replicas:
        return
    passes = [p for p in trace.of(LoaderPass) if p.loader.touched < 0 and not p.seeded]
    for event in passes:
        for backward in trace.of(Backward):
            mine = [leaf for leaf in backward.leaves if id(leaf.replica) in replicas]
            if mine and backward.seq > event.seq and in_loop(backward, event):
                replica = mine[0].replica
                assert isinstance(replica, Replicated)
                yield _finding(trace, replica, event, backward)
                break


def _finding(trace: Trace, replica: Replicated, event: LoaderPass, backward: Backward) -> Finding:
    loader = event.loader
    assert loader.site is not None
    return Finding(
        loader.site,
        "each process of this training has a `DataLoader` of its own over the whole data: the processes "
        "train on the same examples, or on each of them several times an epoch",
        (
            PathStep(replica.site, "the model is replicated over the processes"),
            PathStep(loader.site, "nothing gives each process a part of the data"),
            PathStep(backward.site, "the gradients of this data are averaged"),
        ),
        help="give it `sampler=DistributedSampler(dataset)`, without `shuffle=True`, and call `set_epoch`",
        confidence=sure(trace, backward.confidence),
    )
