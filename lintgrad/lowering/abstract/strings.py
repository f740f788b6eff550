"""Lowering of strings with expressions in them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from lintgrad.lowering.abstract.dispatch import expression, lowers_expression
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Expr, JoinedStr
from lintgrad.program.walk import descend
from lintgrad.source.origins import Embedded

MISPLACED = sys.version_info < (3, 12)
"""Whether this Python parses what is in a format string as a program of its own, and places it so."""


@lowers_expression(ast.JoinedStr)
def _joined(scope: Scope, node: ast.JoinedStr) -> Expr:
    values: list[Expr] = []
    _gather(scope, node.values, values)
    return JoinedStr(node, tuple(values))


def _gather(scope: Scope, parts: Iterable[ast.expr], into: list[Expr]) -> None:
    """The expressions of an f-string's or a t-string's parts, those in format specifications too."""
    for part in parts:
        inner = getattr(part, "value", None)
        if isinstance(inner, ast.expr):
            lowered = expression(scope, inner)
            if MISPLACED:
                _embed(lowered)
            into.append(lowered)
            specification = getattr(part, "format_spec", None)
            if isinstance(specification, ast.JoinedStr):
                _gather(scope, specification.values, into)


def _embed(expr: Expr) -> None:
    """Mark the origins of all that is in `expr`; nodes that share one go on doing so."""
    known: dict[int, Embedded] = {}
    for node in descend(expr):
        origin = node.origin
        if not isinstance(origin, Embedded):
            node.origin = known.setdefault(id(origin), Embedded(origin))


if sys.version_info >= (3, 14):

    @lowers_expression(ast.TemplateStr)
    def _template(scope: Scope, node: ast.TemplateStr) -> Expr:
        values: list[Expr] = []
        _gather(scope, node.values, values)
        return JoinedStr(node, tuple(values))
