"""LG506: a dropout in a forward that drops in evaluation as well."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.machine import Run
from lintgrad.machine.modes import DeafDropout
from lintgrad.machine.values import Instance


def check(run: Run) -> Iterator[Finding]:
    """Report dropouts in a module's forward that are always in training mode.

    `F.dropout` is where `training` is left to its default, a layer where it is built in the forward.
    """
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(DeafDropout):
        if _is_kept(event):
            continue
        how = "lacks `training`, true by default" if event.made is None else "is built in `forward`"
        yield Finding(
            event.site,
            f"this dropout {how}: `eval()` does not turn it off, and it drops in evaluation too",
            (),
            help="pass `training=self.training`, or build an `nn.Dropout` in `__init__`",
            confidence=sure(trace),
        )


def _is_kept(dropout: DeafDropout) -> bool:
    """Whether the module keeps the layer, and so its mode."""
    owner = dropout.owner
    if dropout.made is None or not isinstance(owner, Instance):
        return False
    return any(one is dropout.made for one in owner.members.values())
