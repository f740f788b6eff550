"""Saved tensors that were written to before backward came: the ground of LG109 and LG110."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import made_here, way_back
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward, Stale, Step


def overwritten(run: Run, *, by_step: bool) -> Iterator[tuple[Trace, Backward, Stale]]:
    """Each backward that meets a saved tensor written since: by an optimizer's step, or otherwise."""
    for trace, event in run.events(Backward):
        if event.raises:
            continue
        for stale in event.stale:
            if isinstance(stale.writer, Step) == by_step:
                yield trace, event, stale
                break


def path(event: Backward, stale: Stale, wrote: str) -> tuple[PathStep, ...]:
    """Forward, write, backward."""
    return (
        made_here(stale.node),
        PathStep(stale.writer.site, wrote),
        *way_back(stale.writer, event),
        PathStep(event.site, "backward asks for the tensor as it was, and raises"),
    )
