"""LG207: a statement that was meant to set requires_grad and does not."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.occasions import GradTypo


def check(run: Run) -> Iterator[Finding]:
    """Report misspelt attributes, attributes of modules, comparisons as statements."""
    yield from strongest(_finding(trace, event) for trace, event in run.events(GradTypo))


def _finding(trace: Trace, event: GradTypo) -> Finding:
    message, cure = {
        "name": (
            f"`{event.written}` is no attribute of tensors: the write is accepted and has no effect",
            "write `requires_grad`",
        ),
        "module": (
            "`requires_grad` of a module has no effect on its parameters: they go on training",
            "call `module.requires_grad_(False)`",
        ),
        "comparison": (
            f"`{event.written} == ...` compares and drops the result: nothing is set",
            "use a single `=`",
        ),
    }[event.how]
    return Finding(
        event.site,
        message,
        (Step(event.site, "nothing is frozen or unfrozen here"),),
        help=cure,
        confidence=sure(trace, event.confidence),
    )
