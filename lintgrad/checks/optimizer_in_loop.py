"""LG308: an optimizer is built anew in a loop, over parameters that are older."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Step
from lintgrad.machine.occasions import Construction
from lintgrad.machine.turns import chain, earlier


def check(run: Run) -> Iterator[Finding]:
    """Report constructions that repeat over the same parameters, with steps between them."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace in run.traces:
        made = list(trace.of(Construction))
        for position, event in enumerate(made):
            for before in made[:position]:
                if before.site == event.site and event.stateful and _repeats(trace, before, event):
                    if not _optional(run, event):
                        yield _finding(trace, event)


def _repeats(trace: Trace, before: Construction, event: Construction) -> bool:
    """Whether the second takes over the first one's parameters after it has stepped, in a later turn."""
    turn = earlier(before.turn, event.turn)
    shared = {id(leaf) for leaf in before.leaves} & {id(leaf) for leaf in event.leaves}
    stepped = any(s.optimizer is before.optimizer and s.seq < event.seq for s in trace.of(Step))
    # Parameters that are set anew begin a training of their own.
    renewed = any(before.seq < leaf.renewed < event.seq for leaf in event.leaves)
    return turn is not None and not turn.loop.bounded and bool(shared) and stepped and not renewed


def _optional(run: Run, event: Construction) -> bool:
    """Whether a turn of the loop can go by without it: an optimizer that is changed once, on a condition."""
    loop = event.turn.loop.site if event.turn is not None else None
    for trace in run.traces:
        if not any(made.site == event.site for made in trace.of(Construction)):
            if any(turn.loop.site == loop for step in trace.of(Step) for turn in chain(step.turn)):
                return True
    return False


def _finding(trace: Trace, event: Construction) -> Finding:
    turn = event.turn
    loop = [PathStep(turn.loop.site, "each turn of the loop comes here")] if turn is not None else []
    kind = event.optimizer.kind if event.optimizer is not None else ""
    opaque = any(leaf.opaque for leaf in event.leaves)
    return Finding(
        event.site,
        f"`{kind or 'the optimizer'}` is built anew in each turn over the same parameters: its "
        "moments are lost each time",
        (*loop, PathStep(event.site, "its state starts from nothing here")),
        help="build the optimizer once, before the loop",
        confidence=sure(trace, Confidence.LIKELY if opaque else Confidence.CERTAIN),
    )
