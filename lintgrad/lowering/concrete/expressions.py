"""Lowering of expressions.

Chains that lean to the left (`a + b + c`, `x.f().g()`) are walked in loops, so that a chain of
thousands of links needs no stack.
"""

from __future__ import annotations

from typing import Literal, cast

import libcst as cst

from lintgrad.lowering.concrete import literals, targets
from lintgrad.lowering.concrete.dispatch import (
    EXPRESSIONS,
    LowerExpr,
    expression,
    lowers_expression,
    optional,
)
from lintgrad.lowering.concrete.operators import BINARY, BOOLEAN, COMPARISON, UNARY
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

_KEYWORD_CONSTANTS = {"None": None, "True": True, "False": False}
_Primary = cst.Attribute | cst.Call | cst.Subscript
_PRIMARIES = (cst.Attribute, cst.Call, cst.Subscript)
_STARS: dict[str, Literal[0, 1, 2]] = {"": 0, "*": 1, "**": 2}


@lowers_expression(cst.Name)
def _name(_scope: Scope, node: cst.Name) -> Expr:
    name = node.value
    if name in _KEYWORD_CONSTANTS:
        return Const(node, _KEYWORD_CONSTANTS[name])
    return Name(node, name)


@lowers_expression(cst.Integer)
def _integer(_scope: Scope, node: cst.Integer) -> Expr:
    try:
        return Const(node, literals.integer(node.value))
    except ValueError:
        return UnknownExpr(node, "an integer of too many digits")


@lowers_expression(cst.Float)
def _float(_scope: Scope, node: cst.Float) -> Expr:
    return Const(node, float(node.value))


@lowers_expression(cst.Imaginary)
def _imaginary(_scope: Scope, node: cst.Imaginary) -> Expr:
    return Const(node, complex(node.value))


@lowers_expression(cst.Ellipsis)
def _ellipsis(_scope: Scope, node: cst.Ellipsis) -> Expr:
    return Const(node, ...)


# --- chains -------------------------------------------------------------------------------------


def _primary(scope: Scope, node: _Primary) -> Expr:
    """`a.b(c)[d]...`: down to the first value, then up again."""
    links = [node]
    inner = node.func if isinstance(node, cst.Call) else node.value
    while isinstance(inner, _PRIMARIES):
        links.append(inner)
        inner = inner.func if isinstance(inner, cst.Call) else inner.value
    value = EXPRESSIONS[type(inner)](scope, inner)
    for link in reversed(links):
        value = _link(scope, link, value)
    return value


for _kind in _PRIMARIES:
    EXPRESSIONS[_kind] = cast("LowerExpr", _primary)


def _link(scope: Scope, node: _Primary, value: Expr) -> Expr:
    if isinstance(node, cst.Attribute):
        attr = node.attr.value
        scope.use(value, attr)
        scope.words.add(attr)
        return Attribute(node, value, attr)
    if isinstance(node, cst.Call):
        scope.use(value, "()")
        if isinstance(value, Name):
            scope.words.add(value.id)
        return Call(node, value, arguments(scope, node.args))
    scope.use(value, "[]")
    return Subscript(node, value, index(scope, node))


def arguments(scope: Scope, args: object) -> tuple[Argument, ...]:
    """The arguments of a call or of a class statement."""
    found: list[Argument] = []
    for arg in cast("list[cst.Arg]", args):
        value = arg.value
        keyword = arg.keyword
        found.append(
            Argument(
                arg,
                EXPRESSIONS[type(value)](scope, value),
                None if keyword is None else keyword.value,
                _STARS[arg.star],
            )
        )
    return tuple(found)


def index(scope: Scope, node: cst.Subscript) -> Expr:
    """What stands between the brackets of a subscript."""
    elements = node.slice
    first = elements[0]
    if len(elements) == 1 and not isinstance(first.comma, cst.Comma) and _starless(first.slice):
        return _slice(scope, first.slice)
    return Sequence(node, "tuple", tuple(_slice(scope, element.slice) for element in elements))


def _starless(part: cst.BaseSlice) -> bool:
    return not (isinstance(part, cst.Index) and part.star)


def _slice(scope: Scope, part: cst.BaseSlice) -> Expr:
    if isinstance(part, cst.Slice):
        lower, upper = optional(scope, part.lower), optional(scope, part.upper)
        return Slice(part, lower, upper, optional(scope, part.step))
    whole = cast("cst.Index", part)
    value = expression(scope, whole.value)
    return Starred(whole, value) if whole.star else value


@lowers_expression(cst.BinaryOperation)
def _binary(scope: Scope, node: cst.BinaryOperation) -> Expr:
    links = [node]
    left = node.left
    while type(left) is cst.BinaryOperation:
        links.append(left)
        left = left.left
    value = EXPRESSIONS[type(left)](scope, left)
    for link in reversed(links):
        right = link.right
        operator = BINARY[type(link.operator)]
        value = BinOp(link, operator, value, EXPRESSIONS[type(right)](scope, right))
    return value


@lowers_expression(cst.BooleanOperation)
def _boolean(scope: Scope, node: cst.BooleanOperation) -> Expr:
    links = [node]
    left = node.left
    while type(left) is cst.BooleanOperation:
        links.append(left)
        left = left.left
    value = expression(scope, left)
    for link in reversed(links):
        value = BoolOp(link, BOOLEAN[type(link.operator)], value, expression(scope, link.right))
    return value


# --- the other operators ------------------------------------------------------------------------


@lowers_expression(cst.UnaryOperation)
def _unary(scope: Scope, node: cst.UnaryOperation) -> Expr:
    return UnaryOp(node, UNARY[type(node.operator)], expression(scope, node.expression))


@lowers_expression(cst.Comparison)
def _comparison(scope: Scope, node: cst.Comparison) -> Expr:
    left = expression(scope, node.left)
    rest = [
        (COMPARISON[type(part.operator)], expression(scope, part.comparator)) for part in node.comparisons
    ]
    return Compare(node, left, tuple(rest))


@lowers_expression(cst.IfExp)
def _conditional(scope: Scope, node: cst.IfExp) -> Expr:
    """`a if b else c if d else e`: the chain to the right is walked in a loop."""
    links = [node]
    last = node.orelse
    while type(last) is cst.IfExp:
        links.append(last)
        last = last.orelse
    parts = [(link, expression(scope, link.test), expression(scope, link.body)) for link in links]
    value = expression(scope, last)
    for link, test, body in reversed(parts):
        value = IfExp(link, test, body, value)
    return value


@lowers_expression(cst.NamedExpr)
def _named(scope: Scope, node: cst.NamedExpr) -> Expr:
    value = expression(scope, node.value)
    target = targets.target(scope, node.target)
    if isinstance(target, Name):
        return NamedExpr(node, target, value)
    return UnknownExpr(node, "a walrus whose target is no name", (target, value))


@lowers_expression(cst.Await)
def _await(scope: Scope, node: cst.Await) -> Expr:
    return Await(node, expression(scope, node.expression))


@lowers_expression(cst.Yield)
def _yield(scope: Scope, node: cst.Yield) -> Expr:
    scope.is_generator = True
    value = node.value
    if isinstance(value, cst.From):
        return Yield(node, expression(scope, value.item), delegate=True)
    return Yield(node, optional(scope, value))


# --- displays -----------------------------------------------------------------------------------


@lowers_expression(cst.Tuple)
def _tuple(scope: Scope, node: cst.Tuple) -> Expr:
    return Sequence(node, "tuple", _elements(scope, node.elements))


@lowers_expression(cst.List)
def _list(scope: Scope, node: cst.List) -> Expr:
    return Sequence(node, "list", _elements(scope, node.elements))


@lowers_expression(cst.Set)
def _set(scope: Scope, node: cst.Set) -> Expr:
    return Sequence(node, "set", _elements(scope, node.elements))


def _elements(scope: Scope, elements: object) -> tuple[Expr, ...]:
    items: list[Expr] = []
    for element in cast("list[cst.BaseElement]", elements):
        if type(element) is cst.Element:
            value = element.value
            items.append(EXPRESSIONS[type(value)](scope, value))
        else:
            items.append(expression(scope, element))
    return tuple(items)


@lowers_expression(cst.StarredElement)
def _starred(scope: Scope, node: cst.StarredElement) -> Expr:
    return Starred(node, expression(scope, node.value))


@lowers_expression(cst.Dict)
def _dict(scope: Scope, node: cst.Dict) -> Expr:
    items: list[tuple[Expr | None, Expr]] = []
    for element in node.elements:
        if isinstance(element, cst.DictElement):
            items.append((expression(scope, element.key), expression(scope, element.value)))
        else:
            items.append((None, expression(scope, element.value)))
    return DictDisplay(node, tuple(items))
