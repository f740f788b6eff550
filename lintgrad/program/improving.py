"""Branches that note an improvement, `if score > best: best = score`, and what else they keep of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lintgrad.program.nodes import (
    Assign,
    Attribute,
    Block,
    Break,
    Call,
    Compare,
    Expr,
    If,
    Name,
    Node,
    Return,
    Sequence,
)
from lintgrad.program.text import text
from lintgrad.program.walk import descend


@dataclass(frozen=True, slots=True)
class Keep:
    """`target = value` beside the new best score; `read` is where the target is read elsewhere."""

    target: str
    value: Expr
    assign: Assign
    read: Node


def kept(stmt: If, scope: Block) -> tuple[Keep, ...]:
    """What the branch keeps by name alone, and `scope`, the block of code that it stands in, reads elsewhere.

    Nothing where it leaves the loop, nor where the scope loads a state that it may have saved instead.
    """
    if stmt.body and isinstance(stmt.body[-1], (Break, Return)):
        return ()
    pairs = list(_pairs(stmt.body))
    named = [p for p in pairs if isinstance(p[0], (Name, Attribute)) and isinstance(p[1], (Name, Attribute))]
    operands = _operands(stmt.test) if len(named) > 1 else frozenset[str]()
    if not any({text(target), text(value)} <= operands for target, value, _ in named):
        return ()
    others = [pair for pair in named if text(pair[0]) not in operands and text(pair[0]) != text(pair[1])]
    found = ((text(t), v, a, _read(scope, text(t), stmt)) for t, v, a in others)
    return tuple(Keep(t, v, a, read) for t, v, a, read in found if read is not None)


def _pairs(body: Block) -> Iterator[tuple[Expr, Expr, Assign]]:
    """Each target with its value, tuples taken apart."""
    for stmt in body:
        if isinstance(stmt, Assign):
            for target in stmt.targets:
                value = stmt.value
                if isinstance(target, Sequence) and isinstance(value, Sequence):
                    yield from ((t, v, stmt) for t, v in zip(target.items, value.items, strict=False))
                else:
                    yield target, value, stmt


def _operands(test: Expr) -> frozenset[str]:
    compared = (one for one in descend(test) if isinstance(one, Compare))
    return frozenset(
        text(one) for pair in compared for one in (pair.left, *(right for _, right in pair.rest))
    )


def _read(scope: Block, place: str, without: If) -> Node | None:
    """The last place outside the branch at which `place` is read; None where a state is loaded past it."""
    skipped = {id(node) for node in descend(without)}
    read: Node | None = None
    for stmt in scope:
        for node in descend(stmt):
            if isinstance(node, Assign):
                skipped.update(id(one) for target in node.targets for one in _bound(target))
            if id(node) in skipped:
                continue
            if isinstance(node, Call) and isinstance(node.func, Attribute):
                if node.func.attr == "load_state_dict" and not any(_is(n, place) for n in _given(node)):
                    return None
            if _is(node, place):
                read = node
    return read


def _bound(target: Expr) -> tuple[Expr, ...]:
    return target.items if isinstance(target, Sequence) else (target,)


def _given(call: Call) -> Iterator[Node]:
    for argument in call.arguments:
        yield from descend(argument.value)


def _is(node: Node, place: str) -> bool:
    return isinstance(node, (Name, Attribute)) and text(node) == place
