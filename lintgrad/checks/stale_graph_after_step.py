"""LG109: a parameter that the graph had saved was stepped before backward."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import blamed, call_of, op_name, step_of, strongest, sure
from lintgrad.checks._stale import overwritten, path
from lintgrad.diagnostics import Finding
from lintgrad.machine import Run


def check(run: Run) -> Iterator[Finding]:
    """Report backwards through parameters that an optimizer has changed since the forward."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event, stale in overwritten(run, by_step=True):
        name = stale.writer.name
        step = step_of(name)
        what = f"`{stale.saved.storage.name}`" if stale.saved.storage.name else "a parameter"
        yield Finding(
            blamed(trace, event, stale.node),
            f"{call_of(event)} needs {what} as it was in the forward, and {step} has changed it "
            "since: this raises",
            path(event, stale, f"{step} writes {what}, which `{op_name(stale.node)}` had saved"),
            help=(
                "run every backward through a network before its optimizer steps, or compute this "
                "loss after the step"
            ),
            confidence=sure(
                trace, event.confidence, stale.node.confidence, stale.confidence, stale.writer.confidence
            ),
        )
