"""LG501: an evaluation builds graphs that no backward walks."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._evaluations import evaluations, trained
from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Confidence, Finding, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Forward


def check(run: Run) -> Iterator[Finding]:
    """Report forwards in eval mode, gradients on, in loops without a backward."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, forward in evaluations(run):
        if forward.grad and forward.training is False and trained(trace, forward):
            yield _finding(trace, forward)


def _finding(trace: Trace, forward: Forward) -> Finding:
    what = f"the forward of `{forward.name}`" if forward.name else "this forward"
    steps = [Step(forward.turned.site, "eval mode turns no gradients off")] if forward.turned else []
    return Finding(
        forward.site,
        f"{what} builds a graph under `eval()`, and no backward comes for it: the evaluation takes the "
        "memory and time of training",
        (*steps, Step(forward.site, "a graph for each batch")),
        help="run the evaluation under `with torch.no_grad():`",
        confidence=sure(trace, forward.confidence, Confidence.LIKELY),
    )
