"""LG101: a backward walks a node that an earlier backward freed, and that had saved tensors."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, made_here, op_name, strongest, sure, way_back
from lintgrad.diagnostics import Confidence, Finding, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward, Second
from lintgrad.machine.turns import earlier


def check(run: Run) -> Iterator[Finding]:
    """Report each backward through freed nodes that no earlier turn of a loop made (those are LG105)."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Backward):
        seconds = [s for s in event.raises if earlier(s.node.turn, event.turn) is None]
        if seconds:
            yield _finding(
                trace,
                event,
                min(
                    seconds,
                    key=lambda s: (s.confidence.rank, s.node.keeps is not True, s.node.confidence.rank),
                ),
            )


def _finding(trace: Trace, event: Backward, second: Second) -> Finding:
    node, first = second.node, second.freed
    steps = [
        made_here(node),
        Step(first.site, f"{call_of(first)} runs it and frees the tensors that it had saved"),
        *way_back(first, event),
        Step(event.site, "the same node is to run again, its saved tensors are gone"),
    ]
    guess = Confidence.LIKELY if node.keeps is None else Confidence.CERTAIN
    again = "a second time" if first.site != event.site else "again"
    return Finding(
        event.site,
        f"{call_of(event)} goes {again} through `{op_name(node)}`, whose saved tensors the first "
        "backward has freed: this raises",
        tuple(steps),
        help=_help(event, second),
        confidence=sure(trace, event.confidence, node.confidence, second.confidence, guess),
    )


def _help(event: Backward, second: Second) -> str:
    if second.freed.root is not None and event.root is not None and second.freed.root is event.root:
        return "call backward once for each forward; run the forward again where a second backward is meant"
    return (
        "add the losses up and call backward once, or `.detach()` the part that only one of them "
        "should train; "
        "`retain_graph=True` on the first backward keeps the graph where both are meant"
    )
