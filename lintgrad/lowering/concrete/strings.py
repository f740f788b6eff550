"""Lowering of string literals: plain, joined by juxtaposition, and with expressions in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import libcst as cst

from lintgrad.lowering.concrete import literals
from lintgrad.lowering.concrete.dispatch import expression, lowers_expression
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Const, Expr, JoinedStr, UnknownExpr


@lowers_expression(cst.SimpleString)
def _simple(_scope: Scope, node: cst.SimpleString) -> Expr:
    try:
        return Const(node, literals.string(node.value))
    except ValueError as error:
        return UnknownExpr(node, str(error))


@lowers_expression(cst.FormattedString)
def _formatted(scope: Scope, node: cst.FormattedString) -> Expr:
    values: list[Expr] = []
    _gather(scope, node.parts, values)
    return JoinedStr(node, tuple(values))


def _gather(scope: Scope, parts: Iterable[cst.CSTNode], into: list[Expr]) -> None:
    """The expressions of an f-string's or a t-string's parts, those in format specifications too."""
    for part in parts:
        inner = getattr(part, "expression", None)
        if inner is not None:
            into.append(expression(scope, inner))
            specification = cast("cst.FormattedStringExpression", part).format_spec
            if specification is not None:
                _gather(scope, specification, into)


@lowers_expression(cst.ConcatenatedString)
def _concatenated(scope: Scope, node: cst.ConcatenatedString) -> Expr:
    pieces = [expression(scope, piece) for piece in _pieces(node)]
    texts = [piece.value for piece in pieces if isinstance(piece, Const)]
    if len(texts) < len(pieces):
        return JoinedStr(node, tuple(value for piece in pieces for value in _values(piece)))
    # libcst refuses to join bytes and text.
    if isinstance(texts[0], bytes):
        return Const(node, b"".join(cast("list[bytes]", texts)))
    return Const(node, "".join(cast("list[str]", texts)))


def _pieces(node: cst.ConcatenatedString) -> list[cst.BaseExpression]:
    pieces: list[cst.BaseExpression] = []
    rest: cst.BaseExpression = node
    while isinstance(rest, cst.ConcatenatedString):
        pieces.append(rest.left)
        rest = rest.right
    return [*pieces, rest]


def _values(piece: Expr) -> tuple[Expr, ...]:
    if isinstance(piece, JoinedStr):
        return piece.values
    return piece.children if isinstance(piece, UnknownExpr) else ()


if hasattr(cst, "TemplatedString"):  # libcst 1.8.3 and later

    @lowers_expression(cst.TemplatedString)
    def _templated(scope: Scope, node: cst.TemplatedString) -> Expr:
        values: list[Expr] = []
        _gather(scope, node.parts, values)
        return JoinedStr(node, tuple(values))
