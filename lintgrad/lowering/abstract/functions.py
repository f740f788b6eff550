"""Lowering of functions, lambdas and classes: the nodes that open a scope."""

from __future__ import annotations

import ast

from lintgrad.lowering.abstract.dispatch import (
    block,
    expression,
    lowers_expression,
    lowers_statement,
    optional,
)
from lintgrad.lowering.abstract.expressions import named, positional
from lintgrad.lowering.scopes import ParameterKind, Scope, close, opened, uses_of_self
from lintgrad.program.nodes import ClassDef, Expr, FunctionDef, Lambda, Parameter, Return, Stmt


@lowers_statement(ast.FunctionDef)
def _function(scope: Scope, node: ast.FunctionDef) -> Stmt:
    return _any_function(scope, node, is_async=False)


@lowers_statement(ast.AsyncFunctionDef)
def _async_function(scope: Scope, node: ast.AsyncFunctionDef) -> Stmt:
    return _any_function(scope, node, is_async=True)


def _any_function(scope: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef, *, is_async: bool) -> Stmt:
    scope.bound.add(node.name)
    decorators = tuple([expression(scope, decorator) for decorator in node.decorator_list])
    parameters = _parameters(scope, node.args)
    returns = optional(scope, node.returns)
    function = FunctionDef(node, node.name, parameters, (), decorators, returns, is_async)
    scope.definitions.functions.append(function)
    inner = opened(scope, parameters)
    function.body = block(inner, node.body)
    close(scope, inner, function)
    if scope.methods is not None:
        scope.methods.append(function)
    return function


@lowers_expression(ast.Lambda)
def _lambda(scope: Scope, node: ast.Lambda) -> Expr:
    parameters = _parameters(scope, node.args)
    inner = opened(scope, parameters)
    body = Return(node.body, expression(inner, node.body))
    function = FunctionDef(node, "<lambda>", parameters, (body,))
    close(scope, inner, function)
    return Lambda(node, function)


def _parameters(scope: Scope, node: ast.arguments) -> tuple[Parameter, ...]:
    plain = len(node.posonlyargs) + len(node.args)
    defaults = [*[None] * (plain - len(node.defaults)), *node.defaults]
    kinds: list[ParameterKind] = [*["positional"] * len(node.posonlyargs), *["normal"] * len(node.args)]  # type: ignore[list-item]  # mypy takes the words for `str`
    both = [*node.posonlyargs, *node.args]
    found = [_parameter(scope, *one) for one in zip(both, kinds, defaults, strict=True)]
    if node.vararg is not None:
        found.append(_parameter(scope, node.vararg, "star", None))
    found += [
        _parameter(scope, arg, "keyword", default)
        for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
    ]
    if node.kwarg is not None:
        found.append(_parameter(scope, node.kwarg, "double", None))
    return tuple(found)


def _parameter(scope: Scope, node: ast.arg, kind: ParameterKind, default: ast.expr | None) -> Parameter:
    lowered = optional(scope, default)
    return Parameter(node, node.arg, kind, lowered, optional(scope, node.annotation))


@lowers_statement(ast.ClassDef)
def _class(scope: Scope, node: ast.ClassDef) -> Stmt:
    scope.bound.add(node.name)
    decorators = tuple([expression(scope, decorator) for decorator in node.decorator_list])
    bases = [positional(scope, base) for base in node.bases]
    bases += [named(scope, keyword) for keyword in node.keywords]
    lowered = ClassDef(node, node.name, tuple(bases), (), decorators)
    scope.definitions.classes.append(lowered)
    inner = scope.nested()
    inner.methods = []
    lowered.body = block(inner, node.body)
    lowered.uses = uses_of_self(inner.methods)
    scope.absorb(inner)
    return lowered
