"""Walking the lowered program without knowing its node kinds."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import cast

from lintgrad.program.nodes import FunctionDef, Lambda, Node

_FUNCTIONS = (FunctionDef, Lambda)
_FIELDS: dict[type[Node], tuple[str, ...]] = {}
_PLAIN = {
    "origin",
    "uses",
    "words",
    "globals",
    "nonlocals",
    "name",
    "names",
    "id",
    "attr",
    "op",
    "kind",
    "level",
}


def _fields(kind: type[Node]) -> tuple[str, ...]:
    names = _FIELDS.get(kind)
    if names is None:
        names = tuple(f.name for f in dataclasses.fields(kind) if f.name not in _PLAIN)
        _FIELDS[kind] = names
    return names


def children(node: Node) -> Iterator[Node]:
    """The nodes right below `node`."""
    for name in _fields(type(node)):
        yield from _nodes(getattr(node, name))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def descend(node: Node, *, into_functions: bool = True) -> Iterator[Node]:
    """`node` and all below it, outer before inner; without nested functions' bodies if so asked."""
    stack = [node]
    while stack:
        one = stack.pop()
        yield one
        kind = one.__class__
        if not into_functions and one is not node and kind in _FUNCTIONS:
            continue
        names = _FIELDS.get(kind) or _fields(kind)
        for name in reversed(names):
            value = getattr(one, name)
            if isinstance(value, Node):
                stack.append(value)
            elif value.__class__ is tuple:
                _push(value, stack)


def _push(items: tuple[object, ...], stack: list[Node]) -> None:
    """Put the nodes in `items`, and in tuples in there, on the stack, the first of them on top."""
    for item in reversed(items):
        if isinstance(item, Node):
            stack.append(item)
        elif item.__class__ is tuple:
            _push(cast("tuple[object, ...]", item), stack)
