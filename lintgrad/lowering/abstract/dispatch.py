"""From the type of a node of Python's own tree to the function that lowers it.

The tables are plain dictionaries, since one look-up is paid for each node of each file.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Block, Expr, Stmt, UnknownExpr, UnknownStmt

E = TypeVar("E", bound=ast.expr)
S = TypeVar("S", bound=ast.stmt)
LowerExpr = Callable[[Scope, ast.expr], Expr]
LowerStmt = Callable[[Scope, ast.stmt], Stmt]


class _Expressions(dict[type[ast.expr], LowerExpr]):
    def __missing__(self, kind: type[ast.expr]) -> LowerExpr:
        return _unknown_expression


class _Statements(dict[type[ast.stmt], LowerStmt]):
    def __missing__(self, kind: type[ast.stmt]) -> LowerStmt:
        return _unknown_statement


EXPRESSIONS = _Expressions()
STATEMENTS = _Statements()


def lowers_expression(kind: type[E]) -> Callable[[Callable[[Scope, E], Expr]], Callable[[Scope, E], Expr]]:
    """Register the decorated function for expressions of `kind`."""

    def register(function: Callable[[Scope, E], Expr]) -> Callable[[Scope, E], Expr]:
        EXPRESSIONS[kind] = cast("LowerExpr", function)
        return function

    return register


def lowers_statement(kind: type[S]) -> Callable[[Callable[[Scope, S], Stmt]], Callable[[Scope, S], Stmt]]:
    """Register the decorated function for statements of `kind`."""

    def register(function: Callable[[Scope, S], Stmt]) -> Callable[[Scope, S], Stmt]:
        STATEMENTS[kind] = cast("LowerStmt", function)
        return function

    return register


def expression(scope: Scope, node: ast.expr) -> Expr:
    """Lower one expression that is read."""
    return EXPRESSIONS[type(node)](scope, node)


def optional(scope: Scope, node: ast.expr | None) -> Expr | None:
    """Lower an expression that may be absent."""
    return None if node is None else EXPRESSIONS[type(node)](scope, node)


def block(scope: Scope, body: Iterable[ast.stmt]) -> Block:
    """Lower the statements of a block."""
    return tuple([statement(scope, node) for node in body])


def statement(scope: Scope, node: ast.stmt) -> Stmt:
    """Lower one statement; one that is nested beyond the interpreter's stack has no meaning here."""
    try:
        return STATEMENTS[type(node)](scope, node)
    except RecursionError:
        return UnknownStmt(node, "nested too deeply")


def _unknown_expression(_scope: Scope, node: ast.expr) -> Expr:
    return UnknownExpr(node, f"{type(node).__name__} is not modelled")


def _unknown_statement(_scope: Scope, node: ast.stmt) -> Stmt:
    return UnknownStmt(node, f"{type(node).__name__} is not modelled")
