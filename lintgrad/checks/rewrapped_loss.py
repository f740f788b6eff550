"""LG202: requires_grad is forced on a loss that has lost its graph."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, strongest, sure
from lintgrad.diagnostics import Confidence, Finding, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Leaf
from lintgrad.machine.observations import Backward


def check(run: Run) -> Iterator[Finding]:
    """Report backwards that end at leaves made of a loss's mere values."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Backward):
        if event.kind != "backward" or not event.leaves or not _is_seen(event):
            continue
        asked = {id(leaf) for other in trace.of(Backward) if other.kind == "grad" for leaf in other.leaves}
        if all(_is_rewrapped(leaf) and id(leaf) not in asked for leaf in event.leaves):
            yield from (_finding(trace, event, leaf) for leaf in event.leaves)


def _is_seen(event: Backward) -> bool:
    """Whether all of the graph is made of known operations: code that is not seen has leaves of its own."""
    return all(node.confidence is Confidence.CERTAIN and not node.opaque for node in event.nodes)


def _is_rewrapped(leaf: Leaf) -> bool:
    used = any(gradient.read for gradient in leaf.gradients)
    return leaf.rewrapped is not None and leaf.owner is None and not used


def _finding(trace: Trace, event: Backward, leaf: Leaf) -> Finding:
    assert leaf.rewrapped is not None
    assert leaf.site is not None
    return Finding(
        leaf.site,
        f"`requires_grad` makes a new leaf of the loss's values: {call_of(event)} runs and no "
        "parameter gets a gradient",
        (
            Step(leaf.rewrapped.site, "the graph of the loss ends here"),
            Step(leaf.site, "a leaf without history is made of what is left"),
            Step(event.site, "backward reaches that leaf and nothing else"),
        ),
        help=(
            "keep the graph: `torch.stack(losses).sum()` or `sum(losses)`, without `.item()`, "
            "`.data` or `torch.tensor`"
        ),
        confidence=sure(trace, Confidence.CERTAIN),
    )
