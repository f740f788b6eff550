"""LG106: tensors of all turns of a loop stay reachable with their graphs."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import by_site, made_here, strongest, sure
from lintgrad.diagnostics import Applicability, Finding, FixPlan, InsertAfter, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward, Kept


def check(run: Run) -> Iterator[Finding]:
    """Report places that grow with each turn on every path, and that no backward comes for."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for events in by_site(run, Kept).values():
        # Growth is a loop's: a sum that starts anew in each epoch grows with the batches alone.
        for loop in {event.loop for _, event in events}:
            of_loop = [(t, e) for t, e in events if e.loop == loop]
            if all(event.nodes for _, event in of_loop):
                wanted = any(_is_walked(trace, event) for trace, event in of_loop)
                yield from (_finding(t, e, wanted) for t, e in of_loop if not t.exhausted and _matters(e))


def _matters(event: Kept) -> bool:
    """Whether the growth is a leak: backward is done with it, or it was gathered and nobody asks for it.

    A recurrence without any backward, and what a module gathers inside one forward, end with it.
    """
    gathered = event.trained if event.how == "container" else event.how == "sum" and event.scalar
    return event.freed or (gathered and not event.escapes and not event.inner)


def _is_walked(trace: Trace, event: Kept) -> bool:
    """Whether a backward comes for what is stored here, be it in vain: to cut it would lose the gradient."""
    made = {node.site for node in event.nodes}
    for backward in trace.of(Backward):
        again = {second.node.site for second in (*backward.raises, *backward.silent)}
        sums = {node.site for node in backward.nodes} if event.how == "sum" else set()
        if event.site in sums | again or (event.how == "container" and not made.isdisjoint(again)):
            return True
    return False


def _finding(trace: Trace, event: Kept, wanted: bool) -> Finding:
    holder = f"`{event.holder}`" if event.holder else "what is stored here"
    cost = (
        "its nodes pile up (backward has freed what they saved)"
        if event.freed
        else "with every tensor that it saved, memory grows in each turn"
    )
    verb = {"sum": "adds up tensors with their graph", "container": "collects tensors with their graph"}
    what = verb.get(event.how, "gets the graph of each turn written into it")
    if event.how == "carried":
        what = "carries the graph from turn to turn"
    steps = [made_here(event.nodes[0]), Step(event.site, "it is stored where the next turn still reaches it")]
    if event.loop is not None:
        steps.append(Step(event.loop, "each turn of this loop adds its own"))
    return Finding(
        event.site,
        f"{holder} {what}: the graph of every turn stays alive, {cost}",
        tuple(steps),
        help=_help(event),
        confidence=sure(trace, event.confidence),
        fix=None if wanted else _fix(event),
    )


def _help(event: Kept) -> str:
    if event.how == "write":
        return "write the detached value: `.detach()` on what goes in, or do it under `torch.no_grad()`"
    return "keep the number, not the tensor: `.item()`, or `.detach()` where a tensor is wanted"


def _fix(event: Kept) -> FixPlan | None:
    if event.value is None or event.how == "write":
        return None
    # Not `.item()`: what is made of the sum later may ask a tensor's methods of it.
    return FixPlan("store `detach()` of it", Applicability.UNSAFE, (InsertAfter(event.value, ".detach()"),))
