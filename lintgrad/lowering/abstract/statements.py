"""Lowering of statements, but for those that open a scope and `match`."""

from __future__ import annotations

import ast
import sys

from lintgrad.lowering.abstract.dispatch import EXPRESSIONS, block, expression, lowers_statement, optional
from lintgrad.lowering.abstract.operators import BINARY
from lintgrad.lowering.abstract.targets import target
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import (
    Assert,
    Assign,
    AugAssign,
    Block,
    Break,
    Continue,
    Declare,
    Delete,
    ExprStmt,
    For,
    Handler,
    If,
    Import,
    ImportFrom,
    Pass,
    Raise,
    Return,
    Stmt,
    Try,
    TypeAlias,
    While,
    With,
    WithItem,
)
from lintgrad.program.nodes import Scope as ScopeStmt

# --- small statements ---------------------------------------------------------------------------


@lowers_statement(ast.Expr)
def _expression(scope: Scope, node: ast.Expr) -> Stmt:
    value = node.value
    return ExprStmt(node, EXPRESSIONS[type(value)](scope, value))


@lowers_statement(ast.Assign)
def _assign(scope: Scope, node: ast.Assign) -> Stmt:
    value = node.value
    lowered = EXPRESSIONS[type(value)](scope, value)
    return Assign(node, tuple([target(scope, each) for each in node.targets]), lowered)


@lowers_statement(ast.AnnAssign)
def _annotated(scope: Scope, node: ast.AnnAssign) -> Stmt:
    annotation = expression(scope, node.annotation)
    if node.value is None:
        return Declare(node, target(scope, node.target), annotation)
    value = expression(scope, node.value)
    return Assign(node, (target(scope, node.target),), value, annotation)


@lowers_statement(ast.AugAssign)
def _augmented(scope: Scope, node: ast.AugAssign) -> Stmt:
    """The target is read before it is stored, so it is lowered as what is read."""
    value = expression(scope, node.value)
    if isinstance(node.target, ast.Name):
        scope.bound.add(node.target.id)
    return AugAssign(node, expression(scope, node.target), BINARY[type(node.op)], value)


@lowers_statement(ast.Return)
def _return(scope: Scope, node: ast.Return) -> Stmt:
    return Return(node, optional(scope, node.value))


@lowers_statement(ast.Raise)
def _raise(scope: Scope, node: ast.Raise) -> Stmt:
    cause = optional(scope, node.cause)
    return Raise(node, optional(scope, node.exc), cause)


@lowers_statement(ast.Assert)
def _assert(scope: Scope, node: ast.Assert) -> Stmt:
    return Assert(node, expression(scope, node.test), optional(scope, node.msg))


@lowers_statement(ast.Delete)
def _delete(scope: Scope, node: ast.Delete) -> Stmt:
    """`del (a, b)` deletes each, as `del a, b` does."""
    first = node.targets[0]
    values = first.elts if isinstance(first, ast.Tuple) and len(node.targets) == 1 else node.targets
    return Delete(node, tuple([target(scope, value) for value in values]))


@lowers_statement(ast.Pass)
def _pass(_scope: Scope, node: ast.Pass) -> Stmt:
    return Pass(node)


@lowers_statement(ast.Break)
def _break(_scope: Scope, node: ast.Break) -> Stmt:
    return Break(node)


@lowers_statement(ast.Continue)
def _continue(_scope: Scope, node: ast.Continue) -> Stmt:
    return Continue(node)


@lowers_statement(ast.Global)
def _global(scope: Scope, node: ast.Global) -> Stmt:
    scope.globals.update(node.names)
    return ScopeStmt(node, "global", tuple(node.names))


@lowers_statement(ast.Nonlocal)
def _nonlocal(scope: Scope, node: ast.Nonlocal) -> Stmt:
    scope.nonlocals.update(node.names)
    return ScopeStmt(node, "nonlocal", tuple(node.names))


@lowers_statement(ast.Import)
def _import(scope: Scope, node: ast.Import) -> Stmt:
    names = [
        (alias.name, alias.asname or alias.name.partition(".")[0], alias.asname is not None)
        for alias in node.names
    ]
    scope.bound.update([bound for _, bound, _ in names])
    return Import(node, tuple(names))


@lowers_statement(ast.ImportFrom)
def _import_from(scope: Scope, node: ast.ImportFrom) -> Stmt:
    names = [(alias.name, alias.asname or alias.name) for alias in node.names]
    scope.bound.update([bound for _, bound in names if bound != "*"])
    return ImportFrom(node, node.module or "", node.level, tuple(names))


if sys.version_info >= (3, 12):

    @lowers_statement(ast.TypeAlias)
    def _type_alias(scope: Scope, node: ast.TypeAlias) -> Stmt:
        scope.bound.add(node.name.id)
        return TypeAlias(node, node.name.id)


# --- compound statements ------------------------------------------------------------------------


@lowers_statement(ast.If)
def _if(scope: Scope, node: ast.If) -> Stmt:
    """The `elif`s are walked in a loop: generated code has hundreds of them."""
    arms = [node]
    rest = node.orelse
    while len(rest) == 1 and isinstance(rest[0], ast.If):
        arms.append(rest[0])
        rest = rest[0].orelse
    lowered = [(arm, expression(scope, arm.test), block(scope, arm.body)) for arm in arms]
    orelse: Block = block(scope, rest)
    for arm, test, body in reversed(lowered):
        orelse = (If(arm, test, body, orelse),)
    return orelse[0]


@lowers_statement(ast.While)
def _while(scope: Scope, node: ast.While) -> Stmt:
    test = expression(scope, node.test)
    body = block(scope, node.body)
    return While(node, test, body, block(scope, node.orelse))


@lowers_statement(ast.For)
def _for(scope: Scope, node: ast.For) -> Stmt:
    return _any_for(scope, node, is_async=False)


@lowers_statement(ast.AsyncFor)
def _async_for(scope: Scope, node: ast.AsyncFor) -> Stmt:
    return _any_for(scope, node, is_async=True)


def _any_for(scope: Scope, node: ast.For | ast.AsyncFor, *, is_async: bool) -> Stmt:
    iterable = expression(scope, node.iter)
    scope.iterate(iterable)
    bound = target(scope, node.target)
    body = block(scope, node.body)
    return For(node, bound, iterable, body, block(scope, node.orelse), is_async)


@lowers_statement(ast.With)
def _with(scope: Scope, node: ast.With) -> Stmt:
    return _any_with(scope, node, is_async=False)


@lowers_statement(ast.AsyncWith)
def _async_with(scope: Scope, node: ast.AsyncWith) -> Stmt:
    return _any_with(scope, node, is_async=True)


def _any_with(scope: Scope, node: ast.With | ast.AsyncWith, *, is_async: bool) -> Stmt:
    items: list[WithItem] = []
    for item in node.items:
        context = expression(scope, item.context_expr)
        bound = None if item.optional_vars is None else target(scope, item.optional_vars)
        items.append(WithItem(item, context, bound))
    return With(node, tuple(items), block(scope, node.body), is_async)


@lowers_statement(ast.Try)
def _try(scope: Scope, node: ast.Try) -> Stmt:
    body = block(scope, node.body)
    handlers = _handlers(scope, node.handlers, star=False)
    return Try(node, body, handlers, block(scope, node.orelse), block(scope, node.finalbody))


if sys.version_info >= (3, 11):

    @lowers_statement(ast.TryStar)
    def _try_star(scope: Scope, node: ast.TryStar) -> Stmt:
        body = block(scope, node.body)
        handlers = _handlers(scope, node.handlers, star=True)
        return Try(node, body, handlers, block(scope, node.orelse), block(scope, node.finalbody))


def _handlers(scope: Scope, nodes: list[ast.ExceptHandler], *, star: bool) -> tuple[Handler, ...]:
    found: list[Handler] = []
    for node in nodes:
        kind = optional(scope, node.type)
        if node.name is not None:
            scope.bound.add(node.name)
        found.append(Handler(node, kind, node.name, block(scope, node.body), star))
    return tuple(found)
