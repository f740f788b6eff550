"""LG316: a method named as a statement and not called."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Applicability, Finding, FixPlan, InsertAfter, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Uncalled


def check(run: Run) -> Iterator[Finding]:
    """Report `optimizer.step`, `loss.backward`, `model.eval` without parentheses."""
    yield from strongest(_finding(trace, event) for trace, event in run.events(Uncalled))


def _finding(trace: Trace, event: Uncalled) -> Finding:
    shown = f"{event.name}.{event.method}"
    return Finding(
        event.site,
        f"`{shown}` names the method and does not call it: the statement has no effect",
        (Step(event.site, "no call here"),),
        help=f"write `{shown}()`",
        confidence=sure(trace, event.confidence),
        fix=FixPlan("call it", Applicability.UNSAFE, (InsertAfter(event.site, "()"),)),
    )
