"""Lowering of statements, but for those that open a scope and `match`."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from lintgrad.lowering.concrete.dispatch import EXPRESSIONS, block, expression, lowers_statement, optional
from lintgrad.lowering.concrete.operators import AUGMENTED
from lintgrad.lowering.concrete.targets import target
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


@lowers_statement(cst.Expr)
def _expression(scope: Scope, node: cst.Expr) -> Stmt:
    value = node.value
    return ExprStmt(node, EXPRESSIONS[type(value)](scope, value))


@lowers_statement(cst.Assign)
def _assign(scope: Scope, node: cst.Assign) -> Stmt:
    value = node.value
    lowered = EXPRESSIONS[type(value)](scope, value)
    return Assign(node, tuple([target(scope, each.target) for each in node.targets]), lowered)


@lowers_statement(cst.AnnAssign)
def _annotated(scope: Scope, node: cst.AnnAssign) -> Stmt:
    annotation = expression(scope, node.annotation.annotation)
    if node.value is None:
        return Declare(node, target(scope, node.target), annotation)
    value = expression(scope, node.value)
    return Assign(node, (target(scope, node.target),), value, annotation)


@lowers_statement(cst.AugAssign)
def _augmented(scope: Scope, node: cst.AugAssign) -> Stmt:
    """The target is read before it is stored, so it is lowered as what is read."""
    value = expression(scope, node.value)
    if isinstance(node.target, cst.Name):
        scope.bound.add(node.target.value)
    return AugAssign(node, expression(scope, node.target), AUGMENTED[type(node.operator)], value)


@lowers_statement(cst.Return)
def _return(scope: Scope, node: cst.Return) -> Stmt:
    return Return(node, optional(scope, node.value))


@lowers_statement(cst.Raise)
def _raise(scope: Scope, node: cst.Raise) -> Stmt:
    cause = None if node.cause is None else expression(scope, node.cause.item)
    return Raise(node, optional(scope, node.exc), cause)


@lowers_statement(cst.Assert)
def _assert(scope: Scope, node: cst.Assert) -> Stmt:
    return Assert(node, expression(scope, node.test), optional(scope, node.msg))


@lowers_statement(cst.Del)
def _delete(scope: Scope, node: cst.Del) -> Stmt:
    """`del a, b` has a tuple for its target, as `del (a, b)` has; both delete each."""
    if isinstance(node.target, cst.Tuple):
        values = [element.value for element in node.target.elements]
    else:
        values = [node.target]
    return Delete(node, tuple([target(scope, value) for value in values]))


@lowers_statement(cst.Pass)
def _pass(_scope: Scope, node: cst.Pass) -> Stmt:
    return Pass(node)


@lowers_statement(cst.Break)
def _break(_scope: Scope, node: cst.Break) -> Stmt:
    return Break(node)


@lowers_statement(cst.Continue)
def _continue(_scope: Scope, node: cst.Continue) -> Stmt:
    return Continue(node)


@lowers_statement(cst.Global)
def _global(scope: Scope, node: cst.Global) -> Stmt:
    names = tuple([item.name.value for item in node.names])
    scope.globals.update(names)
    return ScopeStmt(node, "global", names)


@lowers_statement(cst.Nonlocal)
def _nonlocal(scope: Scope, node: cst.Nonlocal) -> Stmt:
    names = tuple([item.name.value for item in node.names])
    scope.nonlocals.update(names)
    return ScopeStmt(node, "nonlocal", names)


@lowers_statement(cst.TypeAlias)
def _type_alias(scope: Scope, node: cst.TypeAlias) -> Stmt:
    scope.bound.add(node.name.value)
    return TypeAlias(node, node.name.value)


# --- compound statements ------------------------------------------------------------------------


@lowers_statement(cst.If)
def _if(scope: Scope, node: cst.If) -> Stmt:
    """The `elif`s are walked in a loop: generated code has hundreds of them."""
    arms = [node]
    rest = node.orelse
    while isinstance(rest, cst.If):
        arms.append(rest)
        rest = rest.orelse
    lowered = [(arm, expression(scope, arm.test), block(scope, arm.body)) for arm in arms]
    orelse: Block = _else(scope, rest)
    for arm, test, body in reversed(lowered):
        orelse = (If(arm, test, body, orelse),)
    return orelse[0]


@lowers_statement(cst.While)
def _while(scope: Scope, node: cst.While) -> Stmt:
    test = expression(scope, node.test)
    body = block(scope, node.body)
    return While(node, test, body, _else(scope, node.orelse))


@lowers_statement(cst.For)
def _for(scope: Scope, node: cst.For) -> Stmt:
    iterable = expression(scope, node.iter)
    scope.iterate(iterable)
    bound = target(scope, node.target)
    body = block(scope, node.body)
    return For(node, bound, iterable, body, _else(scope, node.orelse), node.asynchronous is not None)


@lowers_statement(cst.With)
def _with(scope: Scope, node: cst.With) -> Stmt:
    items: list[WithItem] = []
    for item in node.items:
        context = expression(scope, item.item)
        bound = None if item.asname is None else target(scope, item.asname.name)
        items.append(WithItem(item, context, bound))
    return With(node, tuple(items), block(scope, node.body), node.asynchronous is not None)


@lowers_statement(cst.Try)
def _try(scope: Scope, node: cst.Try) -> Stmt:
    return _any_try(scope, node)


@lowers_statement(cst.TryStar)
def _try_star(scope: Scope, node: cst.TryStar) -> Stmt:
    return _any_try(scope, node)


def _any_try(scope: Scope, node: cst.Try | cst.TryStar) -> Stmt:
    body = block(scope, node.body)
    handlers = _handlers(scope, node.handlers)
    orelse = _else(scope, node.orelse)
    final: Block = () if node.finalbody is None else block(scope, node.finalbody.body)
    return Try(node, body, handlers, orelse, final)


def _handlers(
    scope: Scope, nodes: Iterable[cst.ExceptHandler | cst.ExceptStarHandler]
) -> tuple[Handler, ...]:
    found: list[Handler] = []
    for node in nodes:
        kind = optional(scope, node.type)
        name: str | None = None
        if node.name is not None and isinstance(node.name.name, cst.Name):
            name = node.name.name.value
            scope.bound.add(name)
        star = isinstance(node, cst.ExceptStarHandler)
        found.append(Handler(node, kind, name, block(scope, node.body), star))
    return tuple(found)


def _else(scope: Scope, node: cst.Else | None) -> Block:
    return () if node is None else block(scope, node.body)
