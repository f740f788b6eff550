"""The program's syntax tree with the calls in it that keep the instruments up to date.

Line numbers stay as they are: whatever is added stands at the line of what it belongs to.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

TURN, ENTER, LEAVE, ITEMS = "__lg_turn__", "__lg_enter__", "__lg_leave__", "__lg_items__"
HIT, CUT = "__lg_hit__", "__lg_cut__"
RECEIVER, SETTLE, NAMED = "__lg_receiver__", "__lg_settle__", "__lg_named__"
COMPARED = "__lg_compared__"
Loop = ast.For | ast.While | ast.AsyncFor
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass
class Instrumented:
    """A tree; by its loops' numbers the lines of their bodies, and those that they begin at."""

    tree: ast.Module
    bodies: list[range]
    firsts: list[int]


@dataclass
class _Instruments(ast.NodeTransformer):
    asked: frozenset[int]
    bodies: list[range] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        done: ast.AST | list[ast.stmt] = super().visit(node)
        if isinstance(node, ast.stmt) and self.asked.intersection(header(node)):
            many = done if isinstance(done, list) else [done]
            hits = [_statement(HIT, line, node) for line in sorted(self.asked.intersection(header(node)))]
            return [*hits, *(statement for statement in many if isinstance(statement, ast.stmt))]
        return done

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        return self._loop(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> list[ast.stmt]:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        return self._loop(node)

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        self.generic_visit(node)
        if isinstance(node.value, ast.Attribute):
            node.value = _wrapped(NAMED, node.value)
        elif isinstance(node.value, ast.Compare) and isinstance(node.value.left, ast.Attribute):
            name = ast.copy_location(ast.Constant(node.value.left.attr), node.value)
            node.value.left.value = _wrapped(COMPARED, node.value.left.value, name)
        elif isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            method = ast.copy_location(ast.Constant(node.value.func.attr), node.value)
            node.value.func.value = _wrapped(RECEIVER, node.value.func.value, method)
            node.value = _wrapped(SETTLE, node.value)
        return node

    def _loop(self, node: Loop) -> list[ast.stmt]:
        number = len(self.bodies)
        last = max(child.end_lineno or child.lineno for child in node.body)
        self.bodies.append(range(node.body[0].lineno, last + 1))
        self.firsts.append(node.lineno)
        self.generic_visit(node)
        go_on = _call(TURN, number, node.body[0])
        end = ast.copy_location(ast.Break(), node.body[0])
        over = ast.copy_location(ast.UnaryOp(ast.Not(), go_on), node.body[0])
        node.body.insert(0, ast.copy_location(ast.If(over, [end], []), node.body[0]))
        return [_statement(ENTER, number, node), node, _statement(LEAVE, number, node)]

    def _comprehension(self, node: Comprehension) -> ast.AST:
        self.generic_visit(node)
        if any(isinstance(part, ast.Call) for part in ast.walk(node)):
            number = len(self.bodies)
            self.bodies.append(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            self.firsts.append(node.lineno)
            first = node.generators[0]
            numbered = ast.copy_location(ast.Constant(number), first.iter)
            if not first.is_async:
                first.iter = _wrapped(ITEMS, first.iter, numbered)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        return self._comprehension(node)


def instrument(tree: ast.Module, asked: Iterable[int]) -> Instrumented:
    """`tree` with calls around loops, at the head of their turns, and before the `asked` statements."""
    instruments = _Instruments(frozenset(asked))
    docstring = tree.body[:1] if ast.get_docstring(tree, clean=False) is not None else []
    futures = [s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    kept = [statement for statement in tree.body if statement not in docstring and statement not in futures]
    tree.body = kept
    instruments.visit(tree)
    tree.body = [*docstring, *futures, *tree.body]
    return Instrumented(ast.fix_missing_locations(tree), instruments.bodies, instruments.firsts)


def header(statement: ast.stmt) -> range:
    """The lines of a statement, those of the statements in it left out."""
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    inner = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if inner:
        start = inner[0].pattern.lineno if isinstance(inner[0], ast.match_case) else inner[0].lineno
        last = max(first, start - 1) if start > first else first
    return range(first, last + 1)


def statement_lines(program: str, first: int, last: int) -> range:
    """The lines of the innermost statement that stands at line `first`, up to `last` at least."""
    found = range(first, max(first, last) + 1)
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.stmt) and first in header(node):
            lines = header(node)
            found = range(lines.start, max(lines.stop, last + 1))
    return found


def has_loop_around(program: str, line: int) -> bool:
    """Whether a loop of the same function stands around a line."""
    loops = [
        node for node in ast.walk(ast.parse(program)) if isinstance(node, (ast.For, ast.While, ast.AsyncFor))
    ]
    return any(loop.body[0].lineno <= line <= (loop.body[-1].end_lineno or 0) for loop in loops)


def _call(name: str, number: int, where: ast.stmt) -> ast.Call:
    call = ast.Call(ast.Name(name, ast.Load()), [ast.Constant(number)], [])
    return ast.copy_location(call, where)


def _statement(name: str, number: int, where: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Expr(_call(name, number, where)), where)


def _wrapped(name: str, value: ast.expr, *more: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [value, *more], []), value)


def line_in(old: str, new: str, line: int) -> int:
    """Where line number `line` of `old` stands in `new`, which differs in little."""
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if first <= line - 1 < last:
            inside = line - 1 - first
            return start + (inside if tag == "equal" else min(inside, max(0, end - start - 1))) + 1
    return line
