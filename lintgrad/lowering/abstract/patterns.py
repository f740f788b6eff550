"""Lowering of `match` and its patterns."""

from __future__ import annotations

import ast

from lintgrad.lowering.abstract.dispatch import block, expression, lowers_statement, optional
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Case, Const, Match, Pattern, Stmt


@lowers_statement(ast.Match)
def _match(scope: Scope, node: ast.Match) -> Stmt:
    subject = expression(scope, node.subject)
    return Match(node, subject, tuple([_case(scope, case) for case in node.cases]))


def _case(scope: Scope, node: ast.match_case) -> Case:
    pattern = _pattern(scope, node.pattern)
    return Case(node, pattern, optional(scope, node.guard), block(scope, node.body))


def _pattern(scope: Scope, node: ast.pattern) -> Pattern:
    match node:
        case ast.MatchValue():
            return Pattern(node, "value", expression(scope, node.value))
        case ast.MatchSingleton():
            return Pattern(node, "singleton", Const(node, node.value))
        case ast.MatchAs():
            return _as(scope, node)
        case ast.MatchStar():
            return Pattern(node, "star", name=_binds(scope, node.name))
        case ast.MatchSequence():
            return Pattern(node, "sequence", children=_patterns(scope, node.patterns))
        case ast.MatchOr():
            return Pattern(node, "or", children=_patterns(scope, node.patterns))
        case ast.MatchMapping():
            return _mapping(scope, node)
        case ast.MatchClass():
            return _class(scope, node)
    raise TypeError(f"a pattern of an unknown kind: {type(node).__name__}")


def _as(scope: Scope, node: ast.MatchAs) -> Pattern:
    name = _binds(scope, node.name)
    if node.pattern is None:
        return Pattern(node, "capture", name=name)
    return Pattern(node, "as", name=name, children=(_pattern(scope, node.pattern),))


def _mapping(scope: Scope, node: ast.MatchMapping) -> Pattern:
    keys = tuple([expression(scope, key) for key in node.keys])
    children = _patterns(scope, node.patterns)
    return Pattern(node, "mapping", name=_binds(scope, node.rest), children=children, keys=keys)


def _class(scope: Scope, node: ast.MatchClass) -> Pattern:
    value = expression(scope, node.cls)
    keywords = _patterns(scope, node.kwd_patterns)
    names = tuple([Const(node, name) for name in node.kwd_attrs])
    return Pattern(node, "class", value, children=_patterns(scope, node.patterns) + keywords, keys=names)


def _patterns(scope: Scope, nodes: list[ast.pattern]) -> tuple[Pattern, ...]:
    return tuple([_pattern(scope, node) for node in nodes])


def _binds(scope: Scope, name: str | None) -> str | None:
    if name is not None:
        scope.bound.add(name)
    return name
