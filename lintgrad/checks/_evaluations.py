"""Evaluations as the machine sees them: forwards in loops in which nothing is trained."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Leaf
from lintgrad.machine.observations import Backward, Forward, Step
from lintgrad.machine.turns import Activation, chain
from lintgrad.machine.values import Instance, ModuleState, ModuleV, Unknown, Value

_SENSITIVE = ("Dropout", "BatchNorm", "AlphaDropout", "FeatureAlphaDropout", "SyncBatchNorm", "LazyBatchNorm")


def evaluations(run: Run) -> Iterator[tuple[Trace, Forward]]:
    """The outermost forwards, after some training, in loops that no backward runs in or comes back for."""
    for trace in run.traces:
        forwards = list(trace.of(Forward))
        first = next((step.seq for step in trace.of(Step) if step.fresh), None)
        if trace.exhausted or first is None:
            continue
        busy = _busy(trace)
        for forward in forwards:
            alone = forward.turn is not None and forward.turn.loop not in busy
            if alone and forward.seq > first and not forward.inner:
                yield trace, forward


def _busy(trace: Trace) -> list[Activation]:
    """The loops in which a backward runs, and those that made nodes which a backward walked."""
    turns = [backward.turn for backward in trace.of(Backward)]
    turns += [node.turn for backward in trace.of(Backward) for node in backward.nodes]
    return list({id(one.loop): one.loop for turn in turns for one in chain(turn)}.values())


def trained(trace: Trace, forward: Forward) -> bool:
    """Whether a step before has applied gradients of the module, whose parameters are its program's own."""
    mine = {id(leaf) for leaf in leaves(forward.module) if leaf.requires_grad and not leaf.given}
    return any(
        id(gradient.leaf) in mine
        for step in trace.of(Step)
        if step.seq < forward.seq
        for gradient in step.fresh
    )


def states(module: Value | None) -> Iterator[tuple[Value, ModuleState]]:
    """A module and all below it, each with what makes it one."""
    todo, seen = [module], set[int]()
    while todo:
        one = todo.pop()
        if isinstance(one, Unknown):
            one = one.acts_as
        state = one.state if isinstance(one, ModuleV) else one.module if isinstance(one, Instance) else None
        if one is None or state is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one, state
        todo += [*state.children.values(), *(one.items if isinstance(one, ModuleV) else [])]


def leaves(module: Value | None) -> Iterator[Leaf]:
    """The parameters of a module."""
    for _, state in states(module):
        if state.opaque_leaf is not None:
            yield state.opaque_leaf
        for tensor in state.parameters.values():
            if tensor.leaf is not None:
                yield tensor.leaf


def hears_mode(module: Value | None) -> bool | None:
    """Whether a layer in `module` acts on its mode; None where not all are seen."""
    unseen = False
    for one, state in states(module):
        if isinstance(one, ModuleV) and one.kind.startswith(_SENSITIVE):
            return True
        unseen = unseen or state.opaque
    return None if unseen else False
