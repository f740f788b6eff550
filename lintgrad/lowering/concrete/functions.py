"""Lowering of functions, lambdas and classes: the nodes that open a scope."""

from __future__ import annotations

import libcst as cst

from lintgrad.lowering.concrete.dispatch import block, expression, lowers_expression, lowers_statement
from lintgrad.lowering.concrete.expressions import arguments
from lintgrad.lowering.scopes import ParameterKind, Scope, close, opened, uses_of_self
from lintgrad.program.nodes import ClassDef, Expr, FunctionDef, Lambda, Parameter, Return, Stmt


@lowers_statement(cst.FunctionDef)
def _function(scope: Scope, node: cst.FunctionDef) -> Stmt:
    name = node.name.value
    scope.bound.add(name)
    decorators = _decorators(scope, node)
    parameters = _parameters(scope, node.params)
    returns = None if node.returns is None else expression(scope, node.returns.annotation)
    function = FunctionDef(node, name, parameters, (), decorators, returns, node.asynchronous is not None)
    scope.definitions.functions.append(function)
    inner = opened(scope, parameters)
    function.body = block(inner, node.body)
    close(scope, inner, function)
    if scope.methods is not None:
        scope.methods.append(function)
    return function


@lowers_expression(cst.Lambda)
def _lambda(scope: Scope, node: cst.Lambda) -> Expr:
    parameters = _parameters(scope, node.params)
    inner = opened(scope, parameters)
    body = Return(node.body, expression(inner, node.body))
    function = FunctionDef(node, "<lambda>", parameters, (body,))
    close(scope, inner, function)
    return Lambda(node, function)


def _decorators(scope: Scope, node: cst.FunctionDef | cst.ClassDef) -> tuple[Expr, ...]:
    return tuple([expression(scope, decorator.decorator) for decorator in node.decorators])


def _parameters(scope: Scope, node: cst.Parameters) -> tuple[Parameter, ...]:
    found = [_parameter(scope, parameter, "positional") for parameter in node.posonly_params]
    found += [_parameter(scope, parameter, "normal") for parameter in node.params]
    if isinstance(node.star_arg, cst.Param):
        found.append(_parameter(scope, node.star_arg, "star"))
    found += [_parameter(scope, parameter, "keyword") for parameter in node.kwonly_params]
    if node.star_kwarg is not None:
        found.append(_parameter(scope, node.star_kwarg, "double"))
    return tuple(found)


def _parameter(scope: Scope, node: cst.Param, kind: ParameterKind) -> Parameter:
    default = None if node.default is None else expression(scope, node.default)
    annotation = None if node.annotation is None else expression(scope, node.annotation.annotation)
    return Parameter(node, node.name.value, kind, default, annotation)


@lowers_statement(cst.ClassDef)
def _class(scope: Scope, node: cst.ClassDef) -> Stmt:
    name = node.name.value
    scope.bound.add(name)
    decorators = _decorators(scope, node)
    bases = arguments(scope, node.bases) + arguments(scope, node.keywords)
    lowered = ClassDef(node, name, bases, (), decorators)
    scope.definitions.classes.append(lowered)
    inner = scope.nested()
    inner.methods = []
    lowered.body = block(inner, node.body)
    lowered.uses = uses_of_self(inner.methods)
    scope.absorb(inner)
    return lowered
