"""What the checks share: naming things, and telling the path that leads to a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from lintgrad.diagnostics import Confidence, Finding, Site, Step
from lintgrad.machine.graph import Node
from lintgrad.machine.observations import Backward, Event, Run, Trace
from lintgrad.machine.turns import Turn, earlier, entered

Key = TypeVar("Key", bound=Event)


def call_of(event: Backward) -> str:
    """The backward as the user would say it: `loss.backward()`."""
    if event.kind == "grad":
        return "`autograd.grad(...)`"
    return f"`{event.name}.backward()`" if event.name else "`backward()`"


def step_of(name: str) -> str:
    """A step as the user would say it."""
    return f"`{name}.step()`" if name else "`step()`"


def way_back(then: Event | Node, now: Event) -> Iterator[Step]:
    """How control came from one event to a later one: round a loop, or in by another call."""
    turn = earlier(then.turn, now.turn) or _loop_since(then.turn, now.turn)
    if turn is not None:
        verb = "starts its next turn" if earlier(then.turn, now.turn) else "comes here in each turn"
        yield Step(turn.loop.site, f"the loop {verb}")
    elif then.stack != now.stack:
        site = _other_call(then.stack, now.stack)
        if site is not None and site != now.site:
            yield Step(site, "from here it is called again")


def blamed(trace: Trace, event: Backward, node: Node) -> Site:
    """Where to report a backward: its own place, unless that stands in a helper that is right elsewhere.

    A helper which walks its graph well in another call is not to blame; the call of it is, at the
    point where the ways to the forward and to the backward part.
    """
    innocent = any(
        other.site == event.site and other.stack != event.stack and not (other.raises or other.stale)
        for other in trace.of(Backward)
    )
    if not innocent:
        return event.site
    for position, site in enumerate(event.stack):
        if position >= len(node.stack) or node.stack[position] != site:
            return site
    return event.site


def _loop_since(made: Turn | None, now: Turn | None) -> Turn | None:
    """The loop that control has entered since, when it has gone past its first turn."""
    turn = entered(made, now)
    return turn if turn is not None and turn.index > 0 else None


def _other_call(then: tuple[Site, ...], now: tuple[Site, ...]) -> Site | None:
    """The first call site at which the way to `now` leaves the way to `then`."""
    for position, site in enumerate(now):
        if position >= len(then) or then[position] != site:
            return site
    return None


def made_here(node: Node) -> Step:
    """Where a node of the graph was made."""
    return Step(node.site, f"`{op_name(node)}` puts its node into the graph here")


def op_name(node: Node) -> str:
    """How an operation is called in a message."""
    return node.op or "this operation"


def sure(trace: Trace, *confidences: Confidence) -> Confidence:
    """The confidence of a finding that rests on all of these."""
    return Confidence.weakest(trace.confidence, *confidences)


def strongest(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One finding a place: the surest, with the shortest path."""
    best: dict[Site, Finding] = {}
    for finding in findings:
        rival = best.get(finding.site)
        if rival is None or _rank(finding) < _rank(rival):
            best[finding.site] = finding
    yield from best.values()


def _rank(finding: Finding) -> tuple[int, int]:
    return finding.confidence.rank, len(finding.steps)


def by_site(
    run: Run, kind: type[Key], wanted: Callable[[Key], bool] = lambda _: True
) -> dict[Site, list[tuple[Trace, Key]]]:
    """All events of one kind, over all paths, by the place where they happened."""
    found: dict[Site, list[tuple[Trace, Key]]] = {}
    for trace, event in run.events(kind):
        if wanted(event):
            found.setdefault(event.site, []).append((trace, event))
    return found
