"""LG315: a step applies what another network's backward left behind in its parameters."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, step_of, strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Leaf, Node, ancestors
from lintgrad.machine.observations import Backward, Step
from lintgrad.machine.values import OptimizerV


def check(run: Run) -> Iterator[Finding]:
    """Report steps whose gradients are partly those of a phase that trained another optimizer's network."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, step in run.events(Step):
        optimizer = step.optimizer
        if not isinstance(optimizer, OptimizerV) or not step.complete or not step.sure:
            continue
        made = {id(g.backward): g.backward for g in step.fresh if g.leaf is not None}
        if len(made) < 2:
            continue
        last = max(made.values(), key=lambda event: event.seq)
        for foreign in sorted(made.values(), key=lambda event: event.seq):
            other = _phase_of(trace, foreign, last, optimizer)
            if other is not None and _passes(foreign, optimizer, other) and not _reaches(last, other):
                yield _finding(trace, step, foreign, last, other)
                break


def _phase_of(trace: Trace, foreign: Backward, last: Backward, mine: OptimizerV) -> OptimizerV | None:
    """The optimizer that has stepped on the backward before this phase's own one came."""
    for step in trace.of(Step):
        if foreign.seq < step.seq < last.seq and isinstance(step.optimizer, OptimizerV):
            if step.optimizer is not mine and any(g.backward is foreign for g in step.fresh):
                return step.optimizer
    return None


def _passes(foreign: Backward, mine: OptimizerV, other: OptimizerV) -> bool:
    """Whether the backward goes through the network of `mine` to reach that of `other`, as a judge's.

    A trunk under several heads is reached through them: what each of them gives it is meant to add up.
    """
    inner, outer = {id(leaf) for leaf in mine.leaves}, {id(leaf) for leaf in other.leaves}
    if inner & outer:
        return False
    return _stands_before(foreign.nodes, inner, outer) and not _stands_before(foreign.nodes, outer, inner)


def _reaches(own: Backward, other: OptimizerV) -> bool:
    """Whether this phase's own loss is to train the other network as well: then both are one training."""
    theirs = {id(leaf) for leaf in other.leaves}
    return any(id(leaf) in theirs for leaf in own.leaves)


def _stands_before(nodes: list[Node], near: set[int], far: set[int]) -> bool:
    """Whether an operation with a parameter of `near` has parameters of `far` among its ancestors."""
    users: list[Node | Leaf] = [node for node in nodes if any(id(one) in near for one in node.inputs)]
    return any(id(leaf) in far for leaf in ancestors(users).leaves)


def _finding(trace: Trace, step: Step, foreign: Backward, own: Backward, other: OptimizerV) -> Finding:
    then = next(s for s in trace.of(Step) if s.optimizer is other and s.seq > foreign.seq)
    return Finding(
        step.site,
        f"{step_of(step.name)} applies gradients of {call_of(foreign)} too, which were for"
        f" {step_of(then.name)}",
        (
            PathStep(foreign.site, f"{call_of(foreign)} fills this network's gradients on its way"),
            PathStep(then.site, "the other optimizer steps on it, and this network's share stays"),
            PathStep(own.site, f"{call_of(own)} adds to that share"),
            PathStep(step.site, "both are applied"),
        ),
        help=(
            f"call `{step.name or 'optimizer'}.zero_grad()` right before {call_of(own)}, or freeze this "
            "network in the other phase"
        ),
        confidence=sure(trace, step.confidence, Confidence.CERTAIN),
    )
