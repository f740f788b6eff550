"""LG104: a graph kept outside of loops that no later backward needs."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._retention import fix, title, unneeded
from lintgrad.diagnostics import Finding, Step
from lintgrad.machine import Run


def check(run: Run) -> Iterator[Finding]:
    """Report unneeded retentions outside of loops."""
    for event, confidence, looped in unneeded(run):
        if looped:
            continue
        yield Finding(
            event.site,
            f"{title(event)} keeps a graph that no later backward walks",
            (Step(event.site, "the graph is kept here, and this is the last backward through it"),),
            help="drop `retain_graph=True` on the last backward through a graph",
            confidence=confidence,
            fix=fix(event.site),
        )
