"""LG103: a graph kept in a loop that no later backward needs."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._retention import fix, title, unneeded
from lintgrad.diagnostics import Finding, Step
from lintgrad.machine import Run
from lintgrad.machine.turns import chain


def check(run: Run) -> Iterator[Finding]:
    """Report unneeded retentions that happen in each turn of a loop."""
    for event, confidence, looped in unneeded(run):
        if not looped:
            continue
        loops = [Step(turn.loop.site, "the next turn builds a new graph") for turn in chain(event.turn)[:1]]
        yield Finding(
            event.site,
            f"{title(event)} keeps a graph in each turn of the loop that no later backward walks",
            (Step(event.site, "the graph is kept here"), *loops),
            help="drop `retain_graph=True`: until the old graph is let go, two of them are in memory",
            confidence=confidence,
            fix=fix(event.site),
        )
