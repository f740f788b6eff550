"""LG605: a layer is built in the forward that uses it, anew at each call."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding, Site, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Leaf
from lintgrad.machine.observations import Backward, Event


def check(run: Run) -> Iterator[Finding]:
    """Report parameters that live for one forward."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Backward):
        for leaf in event.leaves:
            if leaf.loose and leaf.in_forward and leaf.site is not None and _as_made(leaf):
                yield _untrained(trace, event, leaf.site)


def _as_made(leaf: Leaf) -> bool:
    """Whether the layer's weights are its own random ones: a hypernetwork would have written others."""
    return leaf.storage.version == 0 and leaf.owner is None


def _untrained(trace: Trace, event: Event, made: Site) -> Finding:
    return Finding(
        made,
        "`forward` builds this layer at each call: its weights are random each time and never trained",
        (Step(made, "a new layer, of no module"), Step(event.site, "its gradients go with it")),
        help="build it in `__init__`, as an attribute of the module",
        confidence=sure(trace, event.confidence),
    )
