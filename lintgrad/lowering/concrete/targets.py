"""Lowering of what is bound: the left of assignments, loop variables, `as` names.

A target's own attribute is stored, not read, so it is no use of its place; what leads to it is.
"""

from __future__ import annotations

from typing import cast

import libcst as cst

from lintgrad.lowering.concrete.dispatch import expression
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Attribute, Expr, Name, Sequence, Starred


def target(scope: Scope, node: cst.CSTNode) -> Expr:
    """Lower an expression that is assigned to."""
    if isinstance(node, cst.Name):
        scope.bound.add(node.value)
        return Name(node, node.value)
    if isinstance(node, cst.Attribute):
        attr = node.attr.value
        scope.words.add(attr)
        return Attribute(node, expression(scope, node.value), attr)
    if isinstance(node, cst.Tuple):
        return Sequence(node, "tuple", _items(scope, node.elements))
    if isinstance(node, cst.List):
        return Sequence(node, "list", _items(scope, node.elements))
    if isinstance(node, cst.StarredElement):
        return Starred(node, target(scope, node.value))
    return expression(scope, node)


def _items(scope: Scope, elements: object) -> tuple[Expr, ...]:
    nodes = cast("list[cst.BaseElement]", elements)
    return tuple([target(scope, node.value if isinstance(node, cst.Element) else node) for node in nodes])
