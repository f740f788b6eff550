"""Gradients, clears and steps: the optimizer's protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.engines import EngineV
from lintgrad.machine.graph import Gradient, Leaf, Node
from lintgrad.machine.observations import Clear, Step
from lintgrad.machine.replicas import LoaderV, SamplerV
from lintgrad.machine.scaling import ScalerV
from lintgrad.machine.values import (
    ClassV,
    DictV,
    FunctionV,
    Instance,
    LibV,
    ListV,
    Lit,
    Mode,
    ModuleState,
    ModuleV,
    OptimizerV,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.program.nodes import Attribute, Call
from lintgrad.program.text import text

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


def clear(
    m: Machine,
    node: nodes.Node,
    leaves: list[Leaf],
    *,
    name: str = "",
    wild: bool = False,
    zeros: bool = False,
) -> Clear:
    """Clear the gradients of `leaves`; with `wild` those of optimizers of unknown parameters too.

    With `zeros` a gradient that was there is all zero now: a step still writes its parameter.
    """
    event = Clear(
        **m.here(node),
        name=name or written(node),
        periodic=m.periodic > 0,
    )
    for leaf in [*leaves, *(m.wild if wild else ())]:
        event.unused += [g for g in leaf.gradients if g.applied is None]
        leaf.cleared = event
        leaf.zeroed = zeros and (leaf.zeroed or bool(leaf.gradients))
        leaf.gradients.clear()
    m.record(event)
    return event


def written(node: nodes.Node) -> str:
    """The receiver of a method call as the user wrote it."""
    match node:
        case Call(func=Attribute(value=receiver)):
            return text(receiver)
        case _:
            return ""


def handed(node: nodes.Node) -> str:
    """The first argument of a call as the user wrote it."""
    return text(node.arguments[0].value) if isinstance(node, Call) and node.arguments else ""


def step(m: Machine, node: nodes.Node, optimizer: OptimizerV, *, name: str = "") -> Step:
    """`optimizer.step()`: it applies every gradient that lies in its parameters, and writes them."""
    event = Step(
        **m.here(node),
        name=name or written(node),
        optimizer=optimizer,
        complete=optimizer.complete and not optimizer.opaque,
        confidence=optimizer.confidence,
        periodic=m.periodic > 0,
        counted=m.counting > 0,
    )
    since = -1 if optimizer.complete else m.wild_touched
    for leaf in optimizer.leaves:
        since = max(since, leaf.touched)
        for gradient in leaf.gradients:
            (event.fresh if gradient.applied is None else event.again).append(gradient)
    event.sure = max(since, optimizer.touched, m.touched_all) < _oldest(event)
    if not event.fresh and not event.again:
        cleared = [leaf.cleared.seq for leaf in optimizer.leaves if leaf.cleared is not None]
        event.cleared = bool(cleared)
        event.sure = max(since, optimizer.touched, m.touched_all, m.foreign_graph) < max(cleared, default=0)
    if not event.fresh and not event.again:
        event.lost = _lost(optimizer)
    for leaf in optimizer.leaves:
        for gradient in leaf.gradients:
            gradient.applied = gradient.applied or event
        if leaf.gradients or leaf.zeroed or leaf.opaque:
            leaf.storage.write(event)
    m.record(event)
    return event


def _oldest(event: Step) -> int:
    """The first moment from which nothing may have been touched for the step's facts to hold."""
    applied = [g.applied.seq for g in event.again if g.applied is not None]
    return min(applied, default=event.seq)


def _lost(optimizer: OptimizerV) -> Clear | None:
    """The newest clear of the optimizer's parameters, when it took gradients that nothing had used."""
    clears = [leaf.cleared for leaf in optimizer.leaves if leaf.cleared is not None]
    newest = max(clears, key=lambda c: c.seq, default=None)
    return newest if newest is not None and newest.unused else None


def touch(m: Machine, value: Value | None) -> None:
    """Unknown code had `value`: it may have cleared, stepped, or filled gradients of what hangs on it."""
    now = m.seq
    if isinstance(value, Unknown) and value.acts_as is not None:
        value = value.acts_as
    if isinstance(value, (OptimizerV, ScalerV, LoaderV, SamplerV)):
        value.touched = now
    for leaf in leaves_of(m, value):
        leaf.touched = m.wild_touched = now
    if isinstance(value, Instance):
        for member in value.members.values():
            if isinstance(member, (OptimizerV, ScalerV, LoaderV, SamplerV)):
                member.touched = now
            elif isinstance(member, (ModuleV, Unknown)) or (isinstance(member, Instance) and member.module):
                for leaf in leaves_of(m, member):
                    leaf.touched = now
    if isinstance(value, ListV):
        for item in value.items[:8]:
            if not isinstance(item, ListV):
                touch(m, item)


def hand_out(m: Machine, value: Value | None, depth: int = 0) -> None:
    """`value` goes back to a caller that is not seen, who may step the optimizers in it."""
    match value:
        case OptimizerV():
            value.touched = m.seq
        case ListV() if depth < 3:
            for item in value.items:
                hand_out(m, item, depth + 1)
        case DictV() if depth < 3:
            for item in [*value.items.values(), *value.rest]:
                hand_out(m, item, depth + 1)
        case Instance() if depth < 3:
            for item in value.members.values():
                hand_out(m, item, depth + 1)
        case _:
            pass


def escape(m: Machine, *values: Value | None) -> None:
    """`values` are handed to code that is not seen: a backward may come to their graph there."""
    for source in m.sources(*values):
        m.escaped[id(source)] = source
        if isinstance(source, Node):
            source.used = True


def leaves_of(m: Machine, value: Value | None) -> list[Leaf]:
    """The parameters of a module, a list of tensors or modules, a tensor: each once, in order."""
    return leaves_under(value)


def leaves_under(value: Value | None) -> list[Leaf]:
    """As `leaves_of`, for those who have no machine any more."""
    found: dict[int, Leaf] = {}
    seen: set[int] = set()
    todo: list[Value | None] = [value]
    while todo:
        one = todo.pop()
        if one is None or one.__class__ in _LEAFLESS:
            continue
        key = id(one)
        if key in seen:
            continue
        seen.add(key)
        if isinstance(one, Tensor):
            if one.leaf is not None and one.node is None:
                found[id(one.leaf)] = one.leaf
        else:
            opaque = _look_into(one, todo)
            if opaque is not None:
                found[id(opaque)] = opaque
    return list(found.values())


def _look_into(value: Value, todo: list[Value | None]) -> Leaf | None:
    """Put what a value holds on `todo`, the first on top; gives the leaf that stands for a module."""
    state = module_state(value)
    if isinstance(value, EngineV):
        todo.append(value.wraps)
    elif state is not None:
        if state.parameters or state.children:
            todo += [*reversed(state.children.values()), *reversed(state.parameters.values())]
        if isinstance(value, ModuleV) and value.items:
            todo += reversed(value.items)
        return state.opaque_leaf
    elif isinstance(value, ListV):
        todo += reversed(value.items)
    elif isinstance(value, DictV):
        todo += reversed([*value.items.values(), *value.rest])
    elif isinstance(value, Unknown) and value.acts_as is not None:
        todo.append(value.acts_as)
    return None


_LEAFLESS = frozenset((Lit, Mode, Symbol, LibV, FunctionV, ClassV, OptimizerV))


def module_state(value: Value | None) -> ModuleState | None:
    """What makes `value` a module, or None."""
    if isinstance(value, ModuleV):
        return value.state
    if isinstance(value, Instance):
        return value.module
    if isinstance(value, Unknown) and value.acts_as is not None:
        return module_state(value.acts_as)
    if isinstance(value, EngineV):
        return module_state(value.wraps)
    return None


def mark_given(value: Value) -> None:
    """`value` was handed in by a caller that is not seen."""
    state = module_state(value)
    if state is not None and state.opaque_leaf is not None:
        state.opaque_leaf.given = True


def assign_gradient(m: Machine, node: nodes.Node, leaf: Leaf) -> None:
    """`p.grad = g`: the old contributions are gone, and one that no backward made is there."""
    from lintgrad.machine.observations import Backward

    made = Backward(**m.here(node))
    leaf.gradients = [Gradient(made)]
