"""LG507: a state dict is kept while the module that it belongs to trains on."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.modes import StateTaken, StateUsed
from lintgrad.machine.observations import Step


def check(run: Run) -> Iterator[Finding]:
    """Report states that are loaded or saved after a step has changed the tensors in them."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace in run.traces:
        taken = {id(event.state): event for event in trace.of(StateTaken)}
        for used in trace.of(StateUsed):
            kept = taken.get(id(used.state))
            step = _step_between(trace, kept, used) if kept is not None else None
            if kept is not None and step is not None:
                yield _finding(trace, kept, step, used)


def _step_between(trace: Trace, kept: StateTaken, used: StateUsed) -> Step | None:
    """A step on the module's parameters between the two."""
    mine = {id(leaf) for leaf in kept.leaves}
    for step in trace.of(Step):
        if kept.seq < step.seq < used.seq and any(id(g.leaf) in mine for g in (*step.fresh, *step.again)):
            return step
    return None


def _finding(trace: Trace, kept: StateTaken, step: Step, used: StateUsed) -> Finding:
    opaque = any(leaf.opaque for leaf in kept.leaves)
    return Finding(
        kept.site,
        "`state_dict()` gives the module's own tensors, no copies: later steps change what is kept here",
        (
            PathStep(kept.site, "the state is kept"),
            PathStep(step.site, "this step writes the same tensors"),
            PathStep(used.site, f"`{used.how}` gets the newest values, not those that were kept"),
        ),
        help="keep `copy.deepcopy(module.state_dict())`, or save it to a file at once",
        confidence=sure(trace, Confidence.LIKELY if opaque else Confidence.CERTAIN),
    )
