"""LG110: a tensor that the graph had saved was written to in place before backward."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, op_name, strongest, sure
from lintgrad.checks._stale import overwritten, path
from lintgrad.diagnostics import Finding
from lintgrad.machine import Run
from lintgrad.machine.observations import InPlace


def check(run: Run) -> Iterator[Finding]:
    """Report backwards whose saved tensors an in-place operation has changed."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event, stale in overwritten(run, by_step=False):
        what = f"`{stale.saved.storage.name}`" if stale.saved.storage.name else "a tensor"
        op = stale.writer.op if isinstance(stale.writer, InPlace) else "write"
        shown = "item assignment" if op == "setitem" else f"`{op}`"
        yield Finding(
            stale.writer.site,
            f"{shown} changes {what} in place, which `{op_name(stale.node)}` has saved for "
            f"{call_of(event)}: backward raises",
            path(event, stale, f"{shown} writes into {what}, which `{op_name(stale.node)}` had saved"),
            help=(
                "use the form that makes a new tensor (`x = x + y`, `torch.stack` of a list), or "
                "write into a clone"
            ),
            confidence=sure(trace, event.confidence, stale.node.confidence, stale.confidence),
        )
