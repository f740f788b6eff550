"""Lowering of what is bound: the left of assignments, loop variables, `as` names.

A target's own attribute is stored, not read, so it is no use of its place; what leads to it is.
"""

from __future__ import annotations

import ast

from lintgrad.lowering.abstract.dispatch import expression
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Attribute, Expr, Name, Sequence, Starred


def target(scope: Scope, node: ast.expr) -> Expr:
    """Lower an expression that is assigned to."""
    if isinstance(node, ast.Name):
        scope.bound.add(node.id)
        return Name(node, node.id)
    if isinstance(node, ast.Attribute):
        scope.words.add(node.attr)
        return Attribute(node, expression(scope, node.value), node.attr)
    if isinstance(node, ast.Tuple):
        return Sequence(node, "tuple", tuple([target(scope, item) for item in node.elts]))
    if isinstance(node, ast.List):
        return Sequence(node, "list", tuple([target(scope, item) for item in node.elts]))
    if isinstance(node, ast.Starred):
        return Starred(node, target(scope, node.value))
    return expression(scope, node)
