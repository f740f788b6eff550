"""State dicts: whose tensors they share, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lintgrad.machine.modes import StateTaken, StateUsed
from lintgrad.machine.values import Arguments, DictV, ListV, Unknown, Value

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


def method(m: Machine, module: Value, name: str, args: Arguments, node: nodes.Expr) -> Value:
    """`state_dict()` and `load_state_dict(state)` of a module."""
    if name == "state_dict":
        return take(m, module, node)
    use(m, [args.get(0, "state_dict")], name, node)
    return m.unknown(node, "plain")


def take(m: Machine, module: Value, node: nodes.Node) -> Value:
    """`module.state_dict()`: a dict of the module's own tensors."""
    state = m.unknown(node, "state", place="state_dict")
    m.record(
        StateTaken(
            **m.here(node),
            state=state,
            leaves=list(m.leaves_of(module)),
        )
    )
    return state


def use(m: Machine, values: Iterable[Value | None], how: str, node: nodes.Node) -> None:
    """Note that the states among `values` are loaded or saved."""
    for value in values:
        if isinstance(value, Unknown) and value.reason == "state":
            m.record(StateUsed(**m.here(node), state=value, how=how))
        elif isinstance(value, (ListV, DictV)):
            use(m, value.items if isinstance(value, ListV) else value.items.values(), how, node)


def save(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`torch.save(obj, f)`."""
    use(m, [args.get(0, "obj")], "torch.save", node)
    return m.unknown(node, "plain")
