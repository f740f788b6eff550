"""Assignment: binding names, unpacking, storing into attributes and items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import expressions, keeping, loops, members
from lintgrad.machine.values import GradOf, ListV, Lit, Symbol, Tensor, Unknown, Value
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def assign(m: Machine, target: nodes.Expr, value: Value, node: nodes.Node, how: str = "") -> None:
    """`target = value`."""
    match target:
        case nodes.Name():
            bind(m, target.id, value, node, how)
        case nodes.Attribute():
            receiver = expressions.evaluate(m, target.value)
            value = _named(m, value, target.attr, _place(target))
            members.write(m, receiver, target.attr, value, node, how)
        case nodes.Subscript():
            receiver = expressions.evaluate(m, target.value)
            index = expressions.evaluate(m, target.index)
            members.store_item(m, receiver, index, value, node, how)
        case nodes.Sequence():
            _unpack(m, target, value, node)
        case nodes.Starred():
            assign(m, target.value, value, node)
        case _:
            m.remark(node, "a target that is not understood")


def _place(expr: nodes.Expr) -> str:
    if isinstance(expr, nodes.Name):
        return expr.id
    if isinstance(expr, nodes.Attribute):
        outer = _place(expr.value)
        return f"{outer}.{expr.attr}" if outer else ""
    return ""


def bind(m: Machine, name: str, value: Value, node: nodes.Node, how: str = "") -> None:
    """Bind `name`, noting a graph that goes into a variable older than the loop."""
    frame = m.frame
    value = _named(m, value, name, name)
    env = frame.env
    if m.stores:
        born = env.born if name in env.names else m.seq + 1
        keeping.note(m, env, born, name, value, node, how=how, read=lambda: env.names.get(name))
    frame.bind(name, value)


def _named(m: Machine, value: Value, name: str, place: str) -> Value:
    """A value gets its first name, and an unknown one the kind that its uses tell."""
    if isinstance(value, Tensor) and not value.name:
        value.name = name
        value.storage.name = value.storage.name or name
    elif isinstance(value, Unknown) and value.acts_as is None and value.reason in ("call", "item", "element"):
        value.place = value.place or place
        uses = m.frame.uses_of(place) if place else frozenset[str]()
        found = m.library.infer(m, place or name, uses, value)
        if found is not None:
            value.acts_as = found
    return value


def _unpack(m: Machine, target: nodes.Sequence, value: Value, node: nodes.Node) -> None:
    stars = [k for k, one in enumerate(target.items) if isinstance(one, nodes.Starred)]
    count = len(target.items)
    items = _pieces(m, value, count, bool(stars), node)
    if not stars:
        for one, piece in zip(target.items, items, strict=False):
            assign(m, one, piece, node)
        return
    at = stars[0]
    tail = count - at - 1
    for one, piece in zip(target.items[:at], items[:at], strict=False):
        assign(m, one, piece, node)
    end = len(items) - tail
    assign(m, target.items[at], ListV("list", items[at:end], isinstance(value, ListV), m.tick()), node)
    for one, piece in zip(target.items[at + 1 :], items[end:], strict=False):
        assign(m, one, piece, node)


def _pieces(m: Machine, value: Value, count: int, starred: bool, node: nodes.Node) -> list[Value]:
    """The `count` pieces of `value`; what is not known is made up, carrying the same graph."""
    if isinstance(value, Unknown) and isinstance(value.acts_as, ListV):
        value = value.acts_as
    if isinstance(value, ListV) and value.exact and (len(value.items) == count or starred):
        if len(value.items) >= count - starred:
            return list(value.items)
    if isinstance(value, (Tensor, GradOf)):
        return [expressions_item(m, value, k, node) for k in range(count)]
    if isinstance(value, ListV) and value.items:
        return [value.items[min(k, len(value.items) - 1)] for k in range(count)]
    if isinstance(value, Unknown):
        return [_piece_of_unknown(m, value, k, node) for k in range(count)]
    items, _ = loops.elements(m, value, node)
    return (
        [items[min(k, len(items) - 1)] for k in range(count)]
        if items
        else [m.unknown(node, "item", foreign=True) for _ in range(count)]
    )


def _piece_of_unknown(m: Machine, value: Unknown, index: int, node: nodes.Node) -> Value:
    return members.item(m, value, Lit(index), node)  # type: ignore[arg-type]


def expressions_item(m: Machine, value: Value, index: int, node: nodes.Node) -> Value:
    """`value[index]` for a tensor that is unpacked."""
    return m.library.item(m, value, Lit(index), node) or value  # type: ignore[arg-type]


def augment(m: Machine, stmt: nodes.AugAssign) -> None:
    """`target op= value`."""
    old = expressions.evaluate(m, stmt.target)
    value = expressions.evaluate(m, stmt.value)
    if isinstance(old, Unknown) and isinstance(old.acts_as, Tensor):
        old = old.acts_as
    if isinstance(old, (Tensor, GradOf)):
        changed = m.library.augmented(m, stmt.op, old, value, stmt)
        if changed is not None:
            if not isinstance(stmt.target, nodes.Subscript):
                assign(m, stmt.target, changed, stmt, "sum")
            return
    if isinstance(old, ListV) and stmt.op == "+" and old.kind in ("list", "deque"):
        _extend(m, old, value, stmt)
        return
    if counts(m, old, value):
        result: Value = Symbol("counter", m.turn)
    else:
        result = expressions.binary(m, stmt.op, old, value, stmt)
    assign(m, stmt.target, result, stmt, "sum")


def counts(m: Machine, old: Value, value: Value) -> bool:
    """Whether a number is counted up in a loop whose turns stand for many: its value is then not known."""
    if m.turn is None or not isinstance(old, (Lit, Symbol)) or not isinstance(value, (Lit, Symbol, Unknown)):
        return False
    number = isinstance(old, Symbol) or isinstance(old.value, (int, float))
    if isinstance(value, Unknown) and (value.sources or value.foreign):
        return False
    return number and not m.turn.loop.bounded


def _extend(m: Machine, old: ListV, value: Value, node: nodes.Node) -> None:
    items, bounded = loops.elements(m, value, node)
    for item in items:
        keeping.note(m, old, old.born, "", item, node, how="container", read=lambda: old)
    old.items += items
    old.exact = old.exact and bounded
