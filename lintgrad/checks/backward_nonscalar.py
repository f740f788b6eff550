"""LG203: backward on a tensor that has more than one element."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, strongest, sure
from lintgrad.diagnostics import Finding, Step
from lintgrad.machine import Run
from lintgrad.machine.observations import Backward


def check(run: Run) -> Iterator[Finding]:
    """Report backwards without upstream gradient on tensors known not to be scalars."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Backward):
        if not event.nonscalar or event.graphless or event.framework:
            continue
        root = event.root
        made = (
            [Step(root.site, "this has more than one element")]
            if root is not None and root.site is not None
            else []
        )
        yield Finding(
            event.site,
            f"{call_of(event)} is called on a tensor of more than one element without an upstream "
            "gradient: this raises",
            (*made, Step(event.site, "backward wants one number to start from")),
            help="reduce it first: `.mean()` or `.sum()`; or pass `gradient=` of the same shape",
            confidence=sure(trace, event.confidence),
        )
