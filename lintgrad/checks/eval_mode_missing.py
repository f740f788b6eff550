"""LG502: an evaluation runs in train mode."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._evaluations import evaluations, hears_mode, trained
from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Forward


def check(run: Run) -> Iterator[Finding]:
    """Report forwards without gradients, in loops of their own, of modules with dropout in train mode."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, forward in evaluations(run):
        if not forward.grad and forward.training and hears_mode(forward.module) and trained(trace, forward):
            yield _finding(trace, forward)


def _finding(trace: Trace, forward: Forward) -> Finding:
    what = f"the forward of `{forward.name}`" if forward.name else "this forward"
    return Finding(
        forward.site,
        f"{what} evaluates without `eval()`, in train mode: dropout drops, and batch norm takes this "
        "batch's statistics and learns from them",
        (),
        help="call `eval()` before the evaluation and `train()` after it",
        confidence=sure(trace, forward.confidence, Confidence.LIKELY),
    )
