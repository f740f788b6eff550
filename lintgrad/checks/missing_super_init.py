"""LG607: a module is given layers before `nn.Module.__init__` has run on it."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding, Step
from lintgrad.machine import Run
from lintgrad.machine.modes import BareModule


def check(run: Run) -> Iterator[Finding]:
    """Report the first layer or parameter that a module cannot take yet."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(BareModule):
        yield Finding(
            event.site,
            f"`self.{event.name}` is assigned before `super().__init__()` has run: "
            f"this raises *cannot assign {event.kind} before Module.__init__() call*",
            (Step(event.site, "the module has no place for it yet"),),
            help="call `super().__init__()` first in `__init__`",
            confidence=sure(trace, event.confidence),
        )
