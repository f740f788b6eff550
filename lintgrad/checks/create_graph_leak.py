"""LG107: a backward that creates a graph of the gradients which nothing walks."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import by_site, call_of, sure
from lintgrad.diagnostics import Applicability, Finding, FixPlan, RemoveArgument, Step
from lintgrad.machine import Run
from lintgrad.machine.observations import Backward


def check(run: Run) -> Iterator[Finding]:
    """Report `backward(create_graph=True)` that no second derivative follows on any path."""
    for events in by_site(run, Backward, _creates).values():
        if any(
            event.needed or event.escaped or trace.exhausted or not event.nodes for trace, event in events
        ):
            continue
        trace, event = events[0]
        call = call_of(event).replace("backward()", "backward(create_graph=True)")
        yield Finding(
            event.site,
            f"{call} builds a graph of the gradients that nothing walks: gradient and parameter "
            "keep each other alive",
            (Step(event.site, "the graph of the gradients is made and kept here"),),
            help="drop `create_graph=True`, or take second derivatives with `torch.autograd.grad`",
            confidence=sure(trace, event.confidence),
            fix=FixPlan(
                "remove `create_graph=True`",
                Applicability.SAFE,
                (RemoveArgument(event.site, "create_graph"),),
            ),
        )


def _creates(event: Backward) -> bool:
    return event.kind == "backward" and event.create is True
