"""LG504: what a training step is to train is computed while gradients are off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lintgrad.checks._paths import by_site, call_of, step_of, strongest, sure
from lintgrad.checks._unreached import ungraphed_before, unreached_steps
from lintgrad.diagnostics import Confidence, Finding, Severity
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run
from lintgrad.machine.graph import Leaf, Ungraphed, ancestors
from lintgrad.machine.observations import Backward, Step
from lintgrad.machine.values import Numel, OptimizerV, Tensor


def check(run: Run) -> Iterator[Finding]:
    """Report the places where gradients are turned off for what a backward or a step then misses."""
    yield from strongest([*_graphless(run), *_empty(run), *_constant(run), *_left_behind(run)])


def _graphless(run: Run) -> Iterator[Finding]:
    """Backwards that raise, as all that they are called on was computed with gradients off."""
    for events in by_site(run, Backward).values():
        if all(event.graphless for _, event in events):
            for trace, event in events:
                root = event.root
                if root is not None and root.ungraphed and root.cut is None:
                    why = f"{call_of(event)} finds no graph and raises"
                    yield from _finding(root.ungraphed[0], event, why, sure(trace, event.confidence))


def _empty(run: Run) -> Iterator[Finding]:
    """Steps of an optimizer all of whose parameters the backward before it misses."""
    for found in unreached_steps(run):
        missed = ungraphed_before(found)
        if missed is not None:
            why = f"{step_of(found.step.name)} finds no gradient and trains nothing"
            yield from _finding(missed, found.step, why, found.confidence)


def _constant(run: Run) -> Iterator[Finding]:
    """Terms of a loss that are constants, although what is trained went into them."""
    for trace, event in run.events(Backward):
        trained = {id(g.leaf) for g in event.gradients if g.applied is not None}
        for term in event.constant_terms if event.kind == "backward" else ():
            missed = _of_term(term, trained)
            if missed is not None:
                why = f"a term of the loss is a constant: {call_of(event)} reaches the other terms only"
                certainty = sure(trace, event.confidence, Confidence.LIKELY)
                yield from _finding(missed, event, why, certainty, Severity.WARNING)


def _of_term(term: Tensor, trained: set[int]) -> Ungraphed | None:
    """What made a loss a constant; an offset that differs from example to example may be meant."""
    if term.cut is not None or term.numel is not Numel.ONE:
        return None
    return next((u for u in term.ungraphed if any(id(leaf) in trained for leaf in _leaves([u]))), None)


def _left_behind(run: Run) -> Iterator[Finding]:
    """Parameters for which the program turned gradients on, and that no backward of the path reaches."""
    for trace in run.traces:
        if trace.exhausted:
            continue
        reached = {id(leaf) for backward in trace.of(Backward) for leaf in backward.leaves}
        for step in trace.of(Step):
            optimizer = step.optimizer
            backward = next((g.backward for g in step.fresh), None)
            if backward is None or backward.root is None or not isinstance(optimizer, OptimizerV):
                continue
            wanted = {id(leaf) for leaf in optimizer.leaves if _is_wanted(leaf)} - reached
            for missed in backward.root.ungraphed if wanted else ():
                if any(id(leaf) in wanted for leaf in _leaves([missed])):
                    why = f"parameters of {step_of(step.name)} for which gradients were asked never get one"
                    yield from _finding(missed, step, why, sure(trace, step.confidence))


def _is_wanted(leaf: Leaf) -> bool:
    return leaf.requires_grad and leaf.asked and leaf.is_parameter and not leaf.opaque


def _leaves(missed: Iterable[Ungraphed]) -> list[Leaf]:
    return ancestors([tape for one in missed for tape in one.tapes]).leaves


def _finding(
    missed: Ungraphed,
    event: Backward | Step,
    why: str,
    confidence: Confidence,
    severity: Severity | None = None,
) -> Iterator[Finding]:
    if missed.off is None:
        return
    yield Finding(
        missed.off,
        f"gradients are off in what is to be trained: {why}",
        (
            PathStep(missed.off, "gradients are turned off here"),
            PathStep(missed.site, "no graph is recorded for this"),
            PathStep(event.site, why),
        ),
        help="leave gradients on for what is trained; turn them off for targets and evaluations alone",
        confidence=confidence,
        severity=severity,
    )
