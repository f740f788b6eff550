"""Where numbers come from: which ones count batches, and which are the turns of a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from lintgrad.machine.turns import Activation, Turn, chain
from lintgrad.machine.values import DictV, FunctionV, ListV, Lit, Symbol, Unknown, Value
from lintgrad.program import nodes
from lintgrad.program.walk import descend

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

Derived = tuple[Value, str, tuple[Value, ...]]
"""A number, the operation that made it, and what of."""

Made = TypeVar("Made", bound=Value)

_DEPTH = 6


def derive(m: Machine, op: str, result: Made, *parts: Value) -> Made:
    """Remember that `result` is `op` of `parts`."""
    m.derived[id(result)] = (result, op, parts)
    return result


def counts_batches(m: Machine, value: Value | None, depth: int = 0) -> bool:
    """Whether a number has the length of something that is walked as a factor."""
    if isinstance(value, Unknown) and value.reason == "length":
        return True
    found = m.derived.get(id(value))
    if found is None or depth > _DEPTH:
        return False
    _, op, parts = found
    if op == "len":
        return isinstance(parts[0], (ListV, DictV))
    if op in ("*", "max", "int"):
        return any(counts_batches(m, part, depth + 1) for part in parts)
    # What is divided by a length, or by an unknown number, may count anything.
    return op in ("+", "-") and counts_batches(m, parts[0], depth + 1)


def counted_loop(m: Machine, value: Value | None, turn: Turn | None) -> Activation | None:
    """The loop around of which `value` is the number of turns: the very same, or a share of it."""
    loops = {id(one.loop.count): one.loop for one in chain(turn) if one.loop.count is not None}
    return _counted(m, value, loops, 0)


def _counted(m: Machine, value: Value | None, loops: dict[int, Activation], depth: int) -> Activation | None:
    if id(value) in loops:
        return loops[id(value)]
    found = m.derived.get(id(value))
    if found is None or depth > _DEPTH or found[1] not in ("+", "-", "//", "max", "int"):
        return None
    _, op, parts = found
    if op == "//" and not isinstance(parts[-1], Lit):
        return None
    return next(filter(None, (_counted(m, part, loops, depth + 1) for part in parts)), None)


def captured_loop(m: Machine, function: FunctionV, turn: Turn | None) -> Activation | None:
    """The loop around whose number of turns `function` reads, where it can know of no other unit."""
    words = {one.id for one in descend(function.definition) if isinstance(one, nodes.Name)}
    if "len" in words:
        return None
    known = {word: function.env.lookup(word) for word in words}
    if any(_may_count(m, value) for value in known.values()):
        return None
    for word, value in known.items():
        loop = counted_loop(m, value, turn)
        if loop is not None and not _multiplied(function, word):
            return loop
    return None


def _may_count(m: Machine, value: Value | None) -> bool:
    """Whether a captured value may tell of batches."""
    return isinstance(value, (Unknown, Symbol)) or counts_batches(m, value)


def _multiplied(function: FunctionV, word: str) -> bool:
    return any(
        isinstance(one, nodes.BinOp) and one.op == "*" and word in (_name(one.left), _name(one.right))
        for one in descend(function.definition)
    )


def _name(expr: nodes.Expr) -> str:
    return expr.id if isinstance(expr, nodes.Name) else ""
