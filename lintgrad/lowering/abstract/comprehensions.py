"""Lowering of comprehensions and generator expressions."""

from __future__ import annotations

import ast
from typing import Literal

from lintgrad.lowering.abstract import targets
from lintgrad.lowering.abstract.dispatch import expression, lowers_expression
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Comprehension, Expr, Generator, UnknownExpr
from lintgrad.source.origins import Clause

_Simple = ast.ListComp | ast.SetComp | ast.GeneratorExp


@lowers_expression(ast.ListComp)
def _list(scope: Scope, node: ast.ListComp) -> Expr:
    return simple(scope, node, "list", node)


@lowers_expression(ast.SetComp)
def _set(scope: Scope, node: ast.SetComp) -> Expr:
    return simple(scope, node, "set", node)


@lowers_expression(ast.GeneratorExp)
def _generator(scope: Scope, node: ast.GeneratorExp) -> Expr:
    return simple(scope, node, "generator", node)


def simple(scope: Scope, node: _Simple, kind: Literal["list", "set", "generator"], origin: object) -> Expr:
    """Lower a comprehension of single elements, which shall have `origin`."""
    generators = _generators(scope, node.generators)
    return Comprehension(origin, kind, None, expression(scope, node.elt), generators)


@lowers_expression(ast.DictComp)
def _dict(scope: Scope, node: ast.DictComp) -> Expr:
    generators = _generators(scope, node.generators)
    key = expression(scope, node.key)
    value: ast.expr | None = node.value
    if value is None:  # `{**each for each in all}`, from Python 3.15 on
        children = [generator.iterable for generator in generators]
        return UnknownExpr(node, "a comprehension that unpacks", (*children, key))
    return Comprehension(node, "dict", key, expression(scope, value), generators)


def _generators(scope: Scope, clauses: list[ast.comprehension]) -> tuple[Generator, ...]:
    found: list[Generator] = []
    for clause in clauses:
        iterable = expression(scope, clause.iter)
        scope.iterate(iterable)
        target = targets.target(scope, clause.target)
        conditions = tuple([expression(scope, condition) for condition in clause.ifs])
        found.append(Generator(Clause(clause, clauses[-1]), target, iterable, conditions))
    return tuple(found)
