"""Retentions that no later backward needs: the ground of LG103 and LG104."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import by_site, call_of, sure
from lintgrad.diagnostics import Applicability, Confidence, FixPlan, RemoveArgument, Site
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward


def unneeded(run: Run) -> Iterator[tuple[Backward, Confidence, bool]]:
    """Each `retain_graph=True` that is needed on no path: an event, how sure, whether it stands in a loop."""
    for events in by_site(run, Backward, _retains).values():
        if any(_maybe_needed(trace, event) for trace, event in events):
            continue
        trace, event = events[0]
        looped = any(e.turn is not None for _, e in events)
        yield event, sure(trace, event.confidence), looped


def _retains(event: Backward) -> bool:
    return event.retain is True and event.create is False


def _maybe_needed(trace: Trace, event: Backward) -> bool:
    return event.needed is not None or event.escaped or trace.exhausted or event.graphless or not event.nodes


def fix(site: Site) -> FixPlan:
    """Take the flag away."""
    return FixPlan("remove `retain_graph=True`", Applicability.SAFE, (RemoveArgument(site, "retain_graph"),))


def title(event: Backward) -> str:
    """The call with its flag."""
    return call_of(event).replace("backward()", "backward(retain_graph=True)")
