"""A program with one thing changed, all its lines where they were."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator


def retaining_lines(program: str) -> set[int]:
    """The lines of calls that say `retain_graph=True`."""
    calls = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Call)]
    return {call.lineno for call in calls if _retains(call)}


def without_retention(program: str, line: int) -> str:
    """`program` with `retain_graph=True` taken out of the calls of a line."""
    tree = ast.parse(program)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.lineno == line]
    for call in calls:
        call.keywords = [keyword for keyword in call.keywords if keyword.arg != "retain_graph"]
    return _text(program, tree, line, line)


def with_created_graph(program: str, line: int) -> str:
    """`program` with `create_graph=True` in the calls of `grad` in a line."""
    tree = ast.parse(program)
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and call.lineno == line and _callee(call) == "grad":
            others = [keyword for keyword in call.keywords if keyword.arg != "create_graph"]
            call.keywords = [*others, ast.keyword("create_graph", ast.Constant(value=True))]
    return _text(program, tree, line, line)


def _callee(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def without_statements(program: str, lines: Collection[int]) -> str:
    """`program` with `pass` in the place of the simple statements of some lines."""
    text = program.split("\n")
    for statement in _simple_statements(ast.parse(program)):
        if statement.lineno in lines:
            first = text[statement.lineno - 1]
            text[statement.lineno - 1] = first[: statement.col_offset] + "pass"
            for number in range(statement.lineno, statement.end_lineno or statement.lineno):
                text[number] = ""
    return "\n".join(text)


def _simple_statements(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield node


def _retains(call: ast.Call) -> bool:
    return any(
        keyword.arg == "retain_graph"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for keyword in call.keywords
    )


def _text(program: str, tree: ast.Module, first: int, last: int) -> str:
    """`program` with the simple statements of the lines from `first` to `last` written anew."""
    text = program.split("\n")
    for statement in _simple_statements(tree):
        if first <= statement.lineno and (statement.end_lineno or 0) <= last:
            text[statement.lineno - 1] = " " * statement.col_offset + ast.unparse(statement)
    return "\n".join(text)
