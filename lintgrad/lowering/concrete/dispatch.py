"""From the type of a syntax node to the function that lowers it.

The tables are plain dictionaries, since one look-up is paid for each node of each file. Types that
an older libcst lacks are left out of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import libcst as cst

from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Block, Expr, Stmt, UnknownExpr, UnknownStmt

N = TypeVar("N", bound=cst.CSTNode)
LowerExpr = Callable[[Scope, cst.CSTNode], Expr]
LowerStmt = Callable[[Scope, cst.CSTNode], Stmt]


class _Expressions(dict[type[cst.CSTNode], LowerExpr]):
    def __missing__(self, kind: type[cst.CSTNode]) -> LowerExpr:
        return _unknown_expression


class _Statements(dict[type[cst.CSTNode], LowerStmt]):
    def __missing__(self, kind: type[cst.CSTNode]) -> LowerStmt:
        return _unknown_statement


EXPRESSIONS = _Expressions()
STATEMENTS = _Statements()


def lowers_expression(kind: type[N]) -> Callable[[Callable[[Scope, N], Expr]], Callable[[Scope, N], Expr]]:
    """Register the decorated function for expressions of `kind`."""

    def register(function: Callable[[Scope, N], Expr]) -> Callable[[Scope, N], Expr]:
        EXPRESSIONS[kind] = cast("LowerExpr", function)
        return function

    return register


def lowers_statement(kind: type[N]) -> Callable[[Callable[[Scope, N], Stmt]], Callable[[Scope, N], Stmt]]:
    """Register the decorated function for statements of `kind`."""

    def register(function: Callable[[Scope, N], Stmt]) -> Callable[[Scope, N], Stmt]:
        STATEMENTS[kind] = cast("LowerStmt", function)
        return function

    return register


def expression(scope: Scope, node: cst.CSTNode) -> Expr:
    """Lower one expression that is read."""
    return EXPRESSIONS[type(node)](scope, node)


def optional(scope: Scope, node: cst.CSTNode | None) -> Expr | None:
    """Lower an expression that may be absent."""
    return None if node is None else EXPRESSIONS[type(node)](scope, node)


def block(scope: Scope, suite: cst.BaseSuite) -> Block:
    """Lower the statements of a block or of the rest of a one-line compound statement."""
    return statements(scope, suite.body)


def statements(scope: Scope, body: object) -> Block:
    """Lower a sequence of lines and compound statements, or of small statements."""
    lowered: list[Stmt] = []
    for node in cast("list[cst.CSTNode]", body):
        if type(node) is cst.SimpleStatementLine:
            lowered += [statement(scope, small) for small in node.body]
        else:
            lowered.append(statement(scope, node))
    return tuple(lowered)


def statement(scope: Scope, node: cst.CSTNode) -> Stmt:
    """Lower one statement; one that is nested beyond the interpreter's stack has no meaning here."""
    try:
        return STATEMENTS[type(node)](scope, node)
    except RecursionError:
        return UnknownStmt(node, "nested too deeply")


def _unknown_expression(_scope: Scope, node: cst.CSTNode) -> Expr:
    return UnknownExpr(node, f"{type(node).__name__} is not modelled")


def _unknown_statement(_scope: Scope, node: cst.CSTNode) -> Stmt:
    return UnknownStmt(node, f"{type(node).__name__} is not modelled")
