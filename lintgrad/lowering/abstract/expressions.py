"""Lowering of expressions.

Chains that lean to the left (`a + b + c`, `x.f().g()`) are walked in loops, so that a chain of
thousands of links needs no stack.
"""

from __future__ import annotations

import ast
from typing import cast

from lintgrad.lowering.abstract import targets
from lintgrad.lowering.abstract.comprehensions import simple
from lintgrad.lowering.abstract.dispatch import (
    EXPRESSIONS,
    LowerExpr,
    expression,
    lowers_expression,
    optional,
)
from lintgrad.lowering.abstract.operators import BINARY, BOOLEAN, COMPARISON, UNARY
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import (
    Argument,
    Attribute,
    Await,
    BinOp,
    BoolOp,
    Call,
    Compare,
    Const,
    DictDisplay,
    Expr,
    IfExp,
    Name,
    NamedExpr,
    Sequence,
    Slice,
    Starred,
    Subscript,
    UnaryOp,
    UnknownExpr,
    Yield,
)
from lintgrad.source.origins import Bare, Link

_Primary = ast.Attribute | ast.Call | ast.Subscript
_PRIMARIES = (ast.Attribute, ast.Call, ast.Subscript)


@lowers_expression(ast.Name)
def _name(_scope: Scope, node: ast.Name) -> Expr:
    return Name(node, node.id)


@lowers_expression(ast.Constant)
def _constant(_scope: Scope, node: ast.Constant) -> Expr:
    return Const(node, node.value)


# --- chains -------------------------------------------------------------------------------------


def _primary(scope: Scope, node: _Primary) -> Expr:
    """`a.b(c)[d]...`: down to the first value, then up again."""
    links = [node]
    inner = node.func if isinstance(node, ast.Call) else node.value
    while isinstance(inner, _PRIMARIES):
        links.append(inner)
        inner = inner.func if isinstance(inner, ast.Call) else inner.value
    value = EXPRESSIONS[type(inner)](scope, inner)
    for link in reversed(links):
        value = _link(scope, link, value)
    return value


for _kind in _PRIMARIES:
    EXPRESSIONS[_kind] = cast("LowerExpr", _primary)


def _link(scope: Scope, node: _Primary, value: Expr) -> Expr:
    if isinstance(node, ast.Attribute):
        attr = node.attr
        scope.use(value, attr)
        scope.words.add(attr)
        return Attribute(node, value, attr)
    if isinstance(node, ast.Call):
        scope.use(value, "()")
        if isinstance(value, Name):
            scope.words.add(value.id)
        return Call(node, value, _arguments(scope, node))
    scope.use(value, "[]")
    return Subscript(node, value, expression(scope, node.slice))


def _arguments(scope: Scope, call: ast.Call) -> tuple[Argument, ...]:
    args, keywords = call.args, call.keywords
    if not keywords:
        if len(args) == 1 and type(args[0]) is ast.GeneratorExp and _end(args[0]) == _end(call):
            bare = Bare(args[0])  # it has the call's parentheses for its own
            return (Argument(bare, simple(scope, args[0], "generator", bare)),)
        return tuple([positional(scope, arg) for arg in args])
    if not any(type(arg) is ast.Starred for arg in args):
        return tuple([positional(scope, arg) for arg in args] + [named(scope, word) for word in keywords])
    # `f(a=1, *b)`: as they stand in the text, which is the order in which they are evaluated.
    mixed: list[ast.expr | ast.keyword] = [*args, *keywords]
    both = sorted(mixed, key=lambda one: (one.lineno, one.col_offset))
    return tuple(
        [named(scope, one) if isinstance(one, ast.keyword) else positional(scope, one) for one in both]
    )


def _end(node: ast.expr) -> tuple[int | None, int | None]:
    return node.end_lineno, node.end_col_offset


def positional(scope: Scope, node: ast.expr) -> Argument:
    """An argument of a call, or a base of a class, that has no name."""
    if type(node) is ast.Starred:
        return Argument(node, expression(scope, node.value), None, 1)
    return Argument(node, EXPRESSIONS[type(node)](scope, node))


def named(scope: Scope, node: ast.keyword) -> Argument:
    """`name=value` or `**value`."""
    value = node.value
    lowered = EXPRESSIONS[type(value)](scope, value)
    return Argument(node, lowered, node.arg, 2 if node.arg is None else 0)


@lowers_expression(ast.Slice)
def _slice(scope: Scope, node: ast.Slice) -> Expr:
    lower, upper = optional(scope, node.lower), optional(scope, node.upper)
    return Slice(node, lower, upper, optional(scope, node.step))


@lowers_expression(ast.BinOp)
def _binary(scope: Scope, node: ast.BinOp) -> Expr:
    links = [node]
    left = node.left
    while type(left) is ast.BinOp:
        links.append(left)
        left = left.left
    value = EXPRESSIONS[type(left)](scope, left)
    for link in reversed(links):
        right = link.right
        value = BinOp(link, BINARY[type(link.op)], value, EXPRESSIONS[type(right)](scope, right))
    return value


@lowers_expression(ast.BoolOp)
def _boolean(scope: Scope, node: ast.BoolOp) -> Expr:
    """`a or b or c` is one node, and here two: the inner ones are placed by what they link."""
    spelling = BOOLEAN[type(node.op)]
    last = len(node.values) - 1
    value = expression(scope, node.values[0])
    for index in range(1, last + 1):
        origin = node if index == last else Link(node, index)
        value = BoolOp(origin, spelling, value, expression(scope, node.values[index]))
    return value


# --- the other operators ------------------------------------------------------------------------


@lowers_expression(ast.UnaryOp)
def _unary(scope: Scope, node: ast.UnaryOp) -> Expr:
    return UnaryOp(node, UNARY[type(node.op)], expression(scope, node.operand))


@lowers_expression(ast.Compare)
def _comparison(scope: Scope, node: ast.Compare) -> Expr:
    left = expression(scope, node.left)
    rest = [
        (COMPARISON[type(operator)], expression(scope, right))
        for operator, right in zip(node.ops, node.comparators, strict=True)
    ]
    return Compare(node, left, tuple(rest))


@lowers_expression(ast.IfExp)
def _conditional(scope: Scope, node: ast.IfExp) -> Expr:
    """`a if b else c if d else e`: the chain to the right is walked in a loop."""
    links = [node]
    last = node.orelse
    while type(last) is ast.IfExp:
        links.append(last)
        last = last.orelse
    parts = [(link, expression(scope, link.test), expression(scope, link.body)) for link in links]
    value = expression(scope, last)
    for link, test, body in reversed(parts):
        value = IfExp(link, test, body, value)
    return value


@lowers_expression(ast.NamedExpr)
def _named(scope: Scope, node: ast.NamedExpr) -> Expr:
    value = expression(scope, node.value)
    target = targets.target(scope, node.target)
    if isinstance(target, Name):
        return NamedExpr(node, target, value)
    return UnknownExpr(node, "a walrus whose target is no name", (target, value))


@lowers_expression(ast.Await)
def _await(scope: Scope, node: ast.Await) -> Expr:
    return Await(node, expression(scope, node.value))


@lowers_expression(ast.Yield)
def _yield(scope: Scope, node: ast.Yield) -> Expr:
    scope.is_generator = True
    return Yield(node, optional(scope, node.value))


@lowers_expression(ast.YieldFrom)
def _yield_from(scope: Scope, node: ast.YieldFrom) -> Expr:
    scope.is_generator = True
    return Yield(node, expression(scope, node.value), delegate=True)


# --- displays -----------------------------------------------------------------------------------


@lowers_expression(ast.Tuple)
def _tuple(scope: Scope, node: ast.Tuple) -> Expr:
    return Sequence(node, "tuple", _elements(scope, node.elts))


@lowers_expression(ast.List)
def _list(scope: Scope, node: ast.List) -> Expr:
    return Sequence(node, "list", _elements(scope, node.elts))


@lowers_expression(ast.Set)
def _set(scope: Scope, node: ast.Set) -> Expr:
    return Sequence(node, "set", _elements(scope, node.elts))


def _elements(scope: Scope, elements: list[ast.expr]) -> tuple[Expr, ...]:
    return tuple([EXPRESSIONS[type(element)](scope, element) for element in elements])


@lowers_expression(ast.Starred)
def _starred(scope: Scope, node: ast.Starred) -> Expr:
    return Starred(node, expression(scope, node.value))


@lowers_expression(ast.Dict)
def _dict(scope: Scope, node: ast.Dict) -> Expr:
    items = [
        (optional(scope, key), expression(scope, value))
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return DictDisplay(node, tuple(items))
