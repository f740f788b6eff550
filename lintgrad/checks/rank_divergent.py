"""LG409: a collective or a backward that only some ranks come to, for which the others wait."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, strongest, sure
from lintgrad.diagnostics import Finding, Site
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward, Event
from lintgrad.machine.replicas import Collective


def check(run: Run) -> Iterator[Finding]:
    """Report where the paths of rank 0 and of another rank, alike in all else, part in what all do."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    first = [trace for trace in run.traces if trace.rank == 0 and not trace.exhausted]
    others = [trace for trace in run.traces if trace.rank == 1 and not trace.exhausted]
    for zero in first:
        for one in others:
            if (zero.root, zero.origin) == (one.root, one.origin) and _alike(zero, one):
                yield from _compared(zero, one)


def _alike(zero: Trace, one: Trace) -> bool:
    """Whether both paths have decided all that both have asked in the same way, but for the rank."""
    mine, theirs = _decisions(zero), _decisions(one)
    return all(mine[site] == theirs[site] for site in mine.keys() & theirs.keys())


def _decisions(trace: Trace) -> dict[Site, list[bool]]:
    found: dict[Site, list[bool]] = {}
    for site, outcome in trace.assumed:
        if site != trace.ranked:
            found.setdefault(site, []).append(outcome)
    return found


def _shared(trace: Trace) -> list[tuple[str, Event]]:
    """What all processes have to do together, in order."""
    found: list[tuple[str, Event]] = []
    for event in trace.events:
        if isinstance(event, Collective):
            found.append((event.op, event))
        elif isinstance(event, Backward) and any(leaf.replica is not None for leaf in event.leaves):
            found.append(("backward", event))
    return found


def _compared(zero: Trace, one: Trace) -> Iterator[Finding]:
    mine, theirs = _shared(zero), _shared(one)
    for (op, _), (other, _) in zip(mine, theirs, strict=False):
        if op != other:
            break
    else:
        if len(mine) == len(theirs):
            return
    same = next((k for k, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a[0] != b[0]), None)
    at = min(len(mine), len(theirs)) if same is None else same
    more = mine if len(mine) >= len(theirs) else theirs
    yield _finding(zero if more is mine else one, more[at][1], only_first=more is mine)


def _finding(trace: Trace, event: Event, *, only_first: bool) -> Finding:
    assert trace.ranked is not None
    what = f"`{event.op}()`" if isinstance(event, Collective) else _backward(event)
    who, rest = ("rank 0 alone comes", "the others") if only_first else ("all ranks but 0 come", "rank 0")
    return Finding(
        event.site,
        f"{who} to {what}, in which all have to take part: it waits for {rest} until it times out",
        (
            PathStep(trace.ranked, "from here on the processes differ by their rank"),
            PathStep(event.site, f"{who} here"),
        ),
        help="let every rank come here; put under the condition only what one process does alone",
        confidence=sure(trace, event.confidence),
    )


def _backward(event: Event) -> str:
    return call_of(event) if isinstance(event, Backward) else "the backward"
