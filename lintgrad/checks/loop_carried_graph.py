"""LG105: a backward walks into the graph of an earlier turn of its loop."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, made_here, strongest, sure, way_back
from lintgrad.diagnostics import Confidence, Finding, Severity, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Node
from lintgrad.machine.observations import Backward, Second
from lintgrad.machine.turns import earlier

_HELP = (
    "cut the graph where one turn hands its tensor to the next: `state = state.detach()` (for a "
    "tuple, each of its "
    "tensors), or `.item()` for a number that is only shown"
)


def check(run: Run) -> Iterator[Finding]:
    """Report freed nodes of earlier turns (raises), else kept ones (slow, unbounded)."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Backward):
        old = [s for s in event.raises if earlier(s.node.turn, event.turn) is not None]
        if old:
            second = min(
                old, key=lambda s: (s.confidence.rank, s.node.keeps is not True, s.node.confidence.rank)
            )
            yield _raises(trace, event, second)
        elif event.carried and event.create is False:
            yield _carried(trace, event, event.carried[0])


def _raises(trace: Trace, event: Backward, second: Second) -> Finding:
    node, first = second.node, second.freed
    guess = Confidence.LIKELY if node.keeps is None else Confidence.CERTAIN
    return Finding(
        event.site,
        f"{call_of(event)} walks back into the graph of an earlier turn of the loop, which that "
        "turn's backward has freed: this raises",
        (
            made_here(node),
            Step(first.site, "this turn's backward runs it and frees its saved tensors"),
            *way_back(first, event),
            Step(event.site, "the next turn's backward reaches it through what was carried over"),
        ),
        help=_HELP,
        confidence=sure(trace, event.confidence, node.confidence, second.confidence, guess),
    )


def _carried(trace: Trace, event: Backward, node: Node) -> Finding:
    steps = [made_here(node)]
    if node.retained:
        steps.append(Step(node.retained[0].site, "the graph is kept after this turn's backward"))
    steps += [*way_back(node, event), Step(event.site, "the next turn's backward runs it all again")]
    return Finding(
        event.site,
        f"{call_of(event)} runs the graphs of all earlier turns again: each turn is slower and "
        "holds more memory than the last",
        tuple(steps),
        help=_HELP,
        confidence=sure(trace, event.confidence, node.confidence),
        severity=Severity.WARNING,
    )
