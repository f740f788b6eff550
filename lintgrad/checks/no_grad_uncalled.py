"""LG505: `with torch.no_grad:`, without the brackets."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.machine import Run
from lintgrad.machine.modes import BareContext

_CONTEXTS = frozenset(
    """
    no_grad enable_grad inference_mode set_grad_enabled autocast detect_anomaly set_detect_anomaly
    """.split()
)


def check(run: Run) -> Iterator[Finding]:
    """Report torch's contexts that a `with` is given uncalled."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(BareContext):
        if event.name.startswith("torch.") and event.name.rpartition(".")[2] in _CONTEXTS:
            name = event.name.rpartition(".")[2]
            yield Finding(
                event.site,
                f"`with {event.name}:` names the context and does not call it: this raises",
                (),
                help=f"write `{event.name}():`" if name != "set_grad_enabled" else "write `torch.no_grad():`",
                confidence=sure(trace),
            )
