"""Counterfactuals: one thing of a program changed, all its lines where they were."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch

from lintgrad.verify.child.frames import Lines
from lintgrad.verify.child.syntax import CUT, header


@dataclass(frozen=True)
class Changes:
    """What a run does otherwise, by line.

    `drop`: the simple statements there are left out. `guard`: what they raise is swallowed. `cut`: the
    values that they assign or pass are detached. `release`: backwards there do not keep the graph. `keep`:
    what takes values out of the graph there leaves them in. `create`: `autograd.grad` there makes a graph of
    its results. `record`: where gradients are turned off there, they stay on. Without `steps` optimizers do
    nothing.
    """

    drop: frozenset[int] = frozenset()
    guard: frozenset[int] = frozenset()
    cut: frozenset[int] = frozenset()
    release: frozenset[int] = frozenset()
    keep: frozenset[int] = frozenset()
    create: frozenset[int] = frozenset()
    record: frozenset[int] = frozenset()
    steps: bool = True

    def apply(self, tree: ast.Module) -> ast.Module:
        """`tree` with the changes that are changes of its text."""
        if self.record:
            _Recorder(self.record).visit(tree)
            ast.fix_missing_locations(tree)
        if self.drop or self.guard or self.cut:
            _Changer(self).visit(tree)  # in place: the module itself is never replaced
            return ast.fix_missing_locations(tree)
        return tree

    def releases(self, lines: Lines) -> bool:
        """Whether a backward with this stack is not to keep the graph."""
        return not self.release.isdisjoint(lines[:1])

    def creates(self, lines: Lines) -> bool:
        """Whether the gradients of a backward with this stack are to have a graph."""
        return not self.create.isdisjoint(lines[:1])

    def keeps(self, lines: Lines) -> bool:
        """Whether what this stack takes out of the graph is to stay in it."""
        return not self.keep.isdisjoint(lines[:1])


def lines_of(lines: Iterable[int]) -> frozenset[int]:
    """The lines, for `Changes`."""
    return frozenset(lines)


def detached(value: Any) -> Any:
    """`value`, a tensor or a container of some, out of the graph."""
    if isinstance(value, torch.Tensor):
        return value.detach()
    if type(value) in (list, tuple):
        return type(value)(detached(item) for item in value)
    if type(value) is dict:
        return {key: detached(item) for key, item in value.items()}
    return value


class _Changer(ast.NodeTransformer):
    def __init__(self, changes: Changes) -> None:
        self.changes = changes

    def visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, ast.stmt) or hasattr(node, "body") or hasattr(node, "cases"):
            return self.generic_visit(node)
        lines = header(node)
        if not self.changes.drop.isdisjoint(lines):
            return ast.copy_location(ast.Pass(), node)
        if not self.changes.cut.isdisjoint(lines):
            _cut(node)
        if not self.changes.guard.isdisjoint(lines):
            swallowed = ast.ExceptHandler(ast.Name("RuntimeError", ast.Load()), None, [ast.Pass()])
            return ast.copy_location(ast.Try([node], [swallowed], [], []), node)
        return node


class _Recorder(ast.NodeTransformer):
    """Puts `enable_grad` in the place of what turns gradients off."""

    def __init__(self, lines: frozenset[int]) -> None:
        self.lines = lines

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = _last_name(node.func) if node.lineno in self.lines else ""
        if called == "set_grad_enabled":
            node.args, node.keywords = [ast.Constant(True)], []
        elif called in _OFF:
            node.args, node.keywords = [], []
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr in _OFF and node.lineno in self.lines:
            node.attr = "enable_grad"
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in _OFF and node.lineno in self.lines:
            found = ast.parse("__import__('torch').enable_grad", mode="eval").body
            return ast.copy_location(found, node)
        return node


_OFF = ("no_grad", "inference_mode")


def _last_name(expr: ast.expr) -> str:
    return expr.attr if isinstance(expr, ast.Attribute) else expr.id if isinstance(expr, ast.Name) else ""


def _cut(statement: ast.stmt) -> None:
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and statement.value is not None:
        statement.value = _detached(statement.value)
    for call in [node for node in ast.walk(statement) if isinstance(node, ast.Call)]:
        if not (isinstance(call.func, ast.Name) and call.func.id == CUT):
            call.args = [a if isinstance(a, ast.Starred) else _detached(a) for a in call.args]


def _detached(value: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name(CUT, ast.Load()), [value], []), value)
