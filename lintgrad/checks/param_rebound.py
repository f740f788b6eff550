"""LG206: `w = w - lr * w.grad` binds the name to another tensor."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding, Step
from lintgrad.machine import Run
from lintgrad.machine.occasions import Rebound


def check(run: Run) -> Iterator[Finding]:
    """Report updates by assignment whose name's gradient is read again later."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Rebound):
        name = event.name or "w"
        read = [Step(event.read, f"`{name}.grad` is None from now on")] if event.read is not None else []
        yield Finding(
            event.site,
            f"`{name} = {name} - ...` makes a new tensor instead of changing the parameter: its "
            "`.grad` stays None",
            (Step(event.site, f"`{name}` is no leaf after this"), *read),
            help=f"update in place with gradients off: `with torch.no_grad(): {name} -= ...`",
            confidence=sure(trace),
        )
