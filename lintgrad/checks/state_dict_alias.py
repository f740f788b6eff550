"""LG507: a state dict, or the module itself, is kept while the module trains on."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.modes import ModuleKept, StateTaken, StateUsed
from lintgrad.machine.observations import Step


def check(run: Run) -> Iterator[Finding]:
    """Report states that are loaded or saved after a step has changed the tensors in them."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace in run.traces:
        for module in trace.of(ModuleKept):
            mine = {id(leaf) for leaf in module.leaves}
            before, after = _step(trace, mine, -1, module.seq), _step(trace, mine, module.seq, None)
            if before is not None and after is not None:
                yield _of_module(trace, module, after)
        taken = {id(event.state): event for event in trace.of(StateTaken)}
        for used in trace.of(StateUsed):
            kept = taken.get(id(used.state))
            mine = {id(leaf) for leaf in kept.leaves} if kept is not None else set[int]()
            step = _step(trace, mine, kept.seq, used.seq) if kept is not None else None
            if kept is not None and step is not None:
                yield _finding(trace, kept, step, used)


def _step(trace: Trace, mine: set[int], since: int, until: int | None) -> Step | None:
    """A step on the parameters `mine` between two moments."""
    for step in trace.of(Step):
        if since < step.seq and (until is None or step.seq < until):
            if any(id(g.leaf) in mine for g in (*step.fresh, *step.again)):
                return step
    return None


def _of_module(trace: Trace, kept: ModuleKept, step: Step) -> Finding:
    used = [PathStep(kept.read, f"`{kept.name}` has the newest weights here")] if kept.read else []
    return Finding(
        kept.site,
        f"`{kept.name}` is the module itself, no copy: later steps change what is kept here as the best one",
        (
            PathStep(kept.site, "the module is kept under a second name"),
            PathStep(step.site, "this step trains it on"),
            *used,
        ),
        help="keep `copy.deepcopy(module)`, or a deep copy of its state dict",
        confidence=sure(trace, kept.confidence, Confidence.LIKELY),
    )


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
