"""Steps that find no gradient on any path: the ground of LG302 and LG307."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import by_site, sure
from lintgrad.diagnostics import Confidence
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward, Step


def empty_steps(run: Run) -> Iterator[tuple[Trace, Step, Confidence]]:
    """Each place where a step finds nothing whenever it is reached."""
    if run.exhausted and any(trace.exhausted for trace in run.traces):
        return
    for events in by_site(run, Step).values():
        if any(event.fresh or event.again or not event.sure for _, event in events):
            continue
        trace, event = max(events, key=lambda pair: (pair[1].lost is not None, pair[1].cleared))
        guess = Confidence.CERTAIN if event.complete else Confidence.LIKELY
        yield trace, event, sure(trace, event.confidence, guess)


def any_backward(trace: Trace) -> bool:
    """Whether the path has a backward at all."""
    return any(True for _ in trace.of(Backward))
