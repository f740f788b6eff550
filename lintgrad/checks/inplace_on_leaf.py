"""LG111: an in-place operation on a leaf that requires grad, with gradients on."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Confidence, Finding, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Leaf
from lintgrad.machine.observations import Backward, InPlace


def check(run: Run) -> Iterator[Finding]:
    """Report in-place writes to leaves."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(InPlace):
        leaf = event.leaf
        if leaf is None:
            continue
        name = f"`{event.name or leaf.name}`" if event.name or leaf.name else "a leaf"
        shown = "assigning to its items" if event.op == "setitem" else f"`{event.op}`"
        made = (
            [Step(leaf.site, f"{name} is a leaf that requires grad")]
            if leaf.site is not None and not leaf.opaque
            else []
        )
        yield Finding(
            event.site,
            f"{shown} changes {name} in place, a leaf that requires grad: this raises while gradients are on",
            (*made, Step(event.site, "written to in place here")),
            help="put the update under `with torch.no_grad():`",
            confidence=sure(trace, _confidence(trace, event, leaf)),
        )


def _confidence(trace: Trace, event: InPlace, leaf: Leaf) -> Confidence:
    """What an unseen caller hands in may be frozen, unless it is trained here or a graph is written in."""
    if not leaf.opaque:
        return Confidence.CERTAIN
    trained = any(leaf in backward.leaves for backward in trace.of(Backward))
    return Confidence.POSSIBLE if leaf.given and not event.carries and not trained else Confidence.LIKELY
