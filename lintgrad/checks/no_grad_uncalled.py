"""LG505: `with torch.no_grad:`, without the brackets."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.machine import Run
from lintgrad.machine.modes import BareContext


def check(run: Run) -> Iterator[Finding]:
    """Report contexts that a `with` is given uncalled."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(BareContext):
        mode = "False" if event.name.endswith("set_grad_enabled") else ""
        yield Finding(
            event.site,
            f"`with {event.name}:` names the context and does not call it: this raises",
            (),
            help=f"write `with {event.name}({mode}):`",
            confidence=sure(trace),
        )
