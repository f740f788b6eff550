"""LG210: a loss is passed as its own upstream gradient."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding, Step
from lintgrad.machine import Run
from lintgrad.machine.observations import Backward


def check(run: Run) -> Iterator[Finding]:
    """Report `loss.backward(loss)`."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Backward):
        if event.own_gradient:
            name = event.name or "loss"
            yield Finding(
                event.site,
                f"`{name}.backward({name})` takes the loss as upstream gradient: every gradient is "
                "scaled by its value",
                (Step(event.site, "the first argument is `gradient`, not the loss"),),
                help=f"write `{name}.backward()`",
                confidence=sure(trace, event.confidence),
            )
