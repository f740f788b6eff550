"""LG410: a training forward goes past DistributedDataParallel, and its gradients are not averaged."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Gradient
from lintgrad.machine.observations import Backward, Event
from lintgrad.machine.replicas import Collective, ReplicaForward


def check(run: Run) -> Iterator[Finding]:
    """Report forwards past the wrapper whose gradients a step applies unaveraged."""
    for trace in run.traces:
        yield from strongest(_findings(trace))


def _findings(trace: Trace) -> Iterator[Finding]:
    forwards: list[ReplicaForward] = []
    for event in trace.events:
        if isinstance(event, ReplicaForward) and event.grad:
            forwards.append(event)
        elif isinstance(event, Backward) and event.kind == "backward" and forwards:
            used = [g for g in event.gradients if g.leaf is not None and g.leaf.replica is not None]
            reached = {id(g.leaf.replica) for g in used if g.leaf is not None}
            mine = [f for f in forwards if id(f.replica) in reached]
            gradient = next((g for g in used if g.applied is not None), None)
            if mine and all(f.bare for f in mine) and gradient is not None:
                if not _averaged(trace, gradient):
                    yield _finding(trace, _outermost(mine), event, gradient)
            forwards = [f for f in forwards if f not in mine]


def _averaged(trace: Trace, gradient: Gradient) -> bool:
    """Whether the program may average the gradients itself between the backward and the step."""
    begun, step = gradient.backward.seq, gradient.applied
    assert step is not None
    assert gradient.leaf is not None
    if gradient.leaf.touched >= begun:
        return True
    return any(begun < event.seq < step.seq for event in trace.of(Collective))


def _outermost(forwards: list[ReplicaForward]) -> ReplicaForward:
    """The last call from outside: the modules within were called by it."""
    least = min(len(f.stack) for f in forwards)
    return [f for f in forwards if len(f.stack) == least][-1]


def _finding(trace: Trace, forward: ReplicaForward, backward: Backward, gradient: Gradient) -> Finding:
    step: Event | None = gradient.applied
    assert step is not None
    return Finding(
        forward.site,
        f"`{forward.name or 'forward'}()` goes past DistributedDataParallel: each process steps with the "
        "gradients of its own batch, and the replicas drift apart",
        (
            PathStep(forward.replica.site, "the model is replicated; its wrapper averages the gradients"),
            PathStep(forward.site, "the module itself is called, not its wrapper"),
            PathStep(backward.site, f"{call_of(backward)} averages nothing"),
            PathStep(step.site, "each process applies its own gradients"),
        ),
        help="call the wrapper in training; the module itself is for saving, evaluating and generating",
        confidence=sure(trace, backward.confidence),
    )
