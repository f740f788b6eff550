"""From the nodes of Python's tree to those of libcst's that stand for the same part of the program.

Both trees of a file make the same program. So the two programs are walked side by side, and the origins
that meet belong together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from lintgrad.diagnostics import Span
from lintgrad.lowering import abstract
from lintgrad.program.nodes import Module, Node
from lintgrad.program.walk import children
from lintgrad.source import Problem, SourceFile, concrete_spans, concrete_tree, parse
from lintgrad.source import spans as direct_spans
from lintgrad.source.origins import Embedded

if TYPE_CHECKING:
    import libcst as cst


def counterpart(source: SourceFile, origin: object) -> cst.CSTNode:
    """The node of libcst's tree of `source` for an origin in `parse(source)`.

    LookupError where there is none, since libcst has no such tree or no such node.
    """
    if source.counterparts is None:
        source.counterparts = _paired(source)
    return cast("cst.CSTNode", source.counterparts[origin])


def spans(source: SourceFile, origins: Iterable[object]) -> dict[int, Span]:
    """As `lintgrad.source.spans`, for origins in format strings, too: these are placed by libcst's tree."""
    wanted = list(origins)
    embedded = [origin for origin in wanted if isinstance(origin, Embedded)]
    found = direct_spans(source, [origin for origin in wanted if not isinstance(origin, Embedded)])
    for origin in embedded:
        other = counterpart(source, origin)
        found[id(origin)] = concrete_spans(source, [other])[id(other)]
    return found


def _paired(source: SourceFile) -> dict[object, object]:
    from lintgrad.lowering import concrete

    tree, other = parse(source), concrete_tree(source)
    if not isinstance(tree, ast.Module) or isinstance(other, Problem):
        return {}
    first, second = abstract.lower(source.path, tree), concrete.lower(source.path, other)
    found: dict[object, object] = {}
    stack: list[tuple[Node, Node]] = _statements(first, second)
    while stack:
        one, two = stack.pop()
        if type(one) is not type(two):
            continue  # one of them was nested too deeply
        # An argument and its value have one origin in Python's tree and two in libcst's: the value's it is.
        found[one.origin] = two.origin
        stack.extend(zip(children(one), children(two), strict=False))
    return found


def _statements(first: Module, second: Module) -> list[tuple[Node, Node]]:
    return list(zip(first.body, second.body, strict=False))
