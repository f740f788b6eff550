"""Lowering of `match` and its patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar, cast

import libcst as cst

from lintgrad.lowering.concrete.dispatch import block, expression, lowers_statement, optional
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Case, Const, Match, Pattern, Stmt

P = TypeVar("P", bound=cst.CSTNode)
_LowerPattern = Callable[[Scope, cst.CSTNode], Pattern]
_PATTERNS: dict[type[cst.CSTNode], _LowerPattern] = {}


@lowers_statement(cst.Match)
def _match(scope: Scope, node: cst.Match) -> Stmt:
    subject = expression(scope, node.subject)
    return Match(node, subject, tuple([_case(scope, case) for case in node.cases]))


def _case(scope: Scope, node: cst.MatchCase) -> Case:
    pattern = _pattern(scope, node.pattern)
    return Case(node, pattern, optional(scope, node.guard), block(scope, node.body))


def _pattern(scope: Scope, node: cst.CSTNode) -> Pattern:
    return _PATTERNS[type(node)](scope, node)


def _lowers(kind: type[P]) -> Callable[[Callable[[Scope, P], Pattern]], Callable[[Scope, P], Pattern]]:
    def register(function: Callable[[Scope, P], Pattern]) -> Callable[[Scope, P], Pattern]:
        _PATTERNS[kind] = cast("_LowerPattern", function)
        return function

    return register


@_lowers(cst.MatchValue)
def _value(scope: Scope, node: cst.MatchValue) -> Pattern:
    return Pattern(node, "value", expression(scope, node.value))


@_lowers(cst.MatchSingleton)
def _singleton(scope: Scope, node: cst.MatchSingleton) -> Pattern:
    return Pattern(node, "singleton", expression(scope, node.value))


@_lowers(cst.MatchAs)
def _as(scope: Scope, node: cst.MatchAs) -> Pattern:
    name = _binds(scope, node.name)
    if node.pattern is None:
        return Pattern(node, "capture", name=name)
    return Pattern(node, "as", name=name, children=(_pattern(scope, node.pattern),))


@_lowers(cst.MatchStar)
def _star(scope: Scope, node: cst.MatchStar) -> Pattern:
    return Pattern(node, "star", name=_binds(scope, node.name))


@_lowers(cst.MatchList)
def _list(scope: Scope, node: cst.MatchList) -> Pattern:
    return Pattern(node, "sequence", children=_elements(scope, node.patterns))


@_lowers(cst.MatchTuple)
def _tuple(scope: Scope, node: cst.MatchTuple) -> Pattern:
    return Pattern(node, "sequence", children=_elements(scope, node.patterns))


@_lowers(cst.MatchOr)
def _or(scope: Scope, node: cst.MatchOr) -> Pattern:
    return Pattern(node, "or", children=_elements(scope, node.patterns))


@_lowers(cst.MatchMapping)
def _mapping(scope: Scope, node: cst.MatchMapping) -> Pattern:
    keys = tuple([expression(scope, element.key) for element in node.elements])
    children = tuple([_pattern(scope, element.pattern) for element in node.elements])
    return Pattern(node, "mapping", name=_binds(scope, node.rest), children=children, keys=keys)


@_lowers(cst.MatchClass)
def _class(scope: Scope, node: cst.MatchClass) -> Pattern:
    value = expression(scope, node.cls)
    keywords = tuple([_pattern(scope, element.pattern) for element in node.kwds])
    names = tuple([Const(element.key, element.key.value) for element in node.kwds])
    return Pattern(node, "class", value, children=_elements(scope, node.patterns) + keywords, keys=names)


def _elements(scope: Scope, elements: Iterable[cst.CSTNode]) -> tuple[Pattern, ...]:
    """The patterns of elements that wrap one each, `*rest` standing for itself."""
    found: list[Pattern] = []
    for element in elements:
        if isinstance(element, cst.MatchSequenceElement):
            found.append(_pattern(scope, element.value))
        elif isinstance(element, cst.MatchOrElement):
            found.append(_pattern(scope, element.pattern))
        else:
            found.append(_pattern(scope, element))
    return tuple(found)


def _binds(scope: Scope, name: cst.Name | None) -> str | None:
    if name is None:
        return None
    scope.bound.add(name.value)
    return name.value
