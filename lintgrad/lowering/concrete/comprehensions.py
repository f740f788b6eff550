"""Lowering of comprehensions and generator expressions."""

from __future__ import annotations

from typing import Literal

import libcst as cst

from lintgrad.lowering.concrete import targets
from lintgrad.lowering.concrete.dispatch import expression, lowers_expression
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Comprehension, Expr, Generator, UnknownExpr


@lowers_expression(cst.ListComp)
def _list(scope: Scope, node: cst.ListComp) -> Expr:
    return _simple(scope, node, "list")


@lowers_expression(cst.SetComp)
def _set(scope: Scope, node: cst.SetComp) -> Expr:
    return _simple(scope, node, "set")


@lowers_expression(cst.GeneratorExp)
def _generator(scope: Scope, node: cst.GeneratorExp) -> Expr:
    return _simple(scope, node, "generator")


def _simple(scope: Scope, node: cst.BaseSimpleComp, kind: Literal["list", "set", "generator"]) -> Expr:
    generators = _generators(scope, node.for_in)
    return Comprehension(node, kind, None, expression(scope, node.elt), generators)


@lowers_expression(cst.DictComp)
def _dict(scope: Scope, node: cst.DictComp) -> Expr:
    generators = _generators(scope, node.for_in)
    key = expression(scope, node.key)
    return Comprehension(node, "dict", key, expression(scope, node.value), generators)


if hasattr(cst, "StarredDictComp"):  # libcst 1.9 and later

    @lowers_expression(cst.StarredDictComp)
    def _starred_dict(scope: Scope, node: cst.StarredDictComp) -> Expr:
        generators = _generators(scope, node.for_in)
        children = [generator.iterable for generator in generators]
        return UnknownExpr(node, "a comprehension that unpacks", (*children, expression(scope, node.value)))


def _generators(scope: Scope, first: cst.CompFor) -> tuple[Generator, ...]:
    found: list[Generator] = []
    clause: cst.CompFor | None = first
    while clause is not None:
        iterable = expression(scope, clause.iter)
        scope.iterate(iterable)
        target = targets.target(scope, clause.target)
        conditions = tuple(expression(scope, condition.test) for condition in clause.ifs)
        found.append(Generator(clause, target, iterable, conditions))
        clause = clause.inner_for_in
    return tuple(found)
