"""Makes a program smaller while it still shows something: fewer statements, blocks, expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator


def reduced(program: str, shows: Callable[[str], bool]) -> str:
    """The smallest program found that `shows` holds for, `program` itself at worst."""
    best = ast.unparse(ast.parse(program)) + "\n"
    if not shows(best):
        return program
    smaller = True
    while smaller:
        smaller = False
        for text in _smaller(best):
            if _length(text) < _length(best) and _compiles(text) and shows(text):
                best, smaller = text, True
                break
    return best


def _compiles(text: str) -> bool:
    """Whether `text` is a program still: a part of an expression may be no target."""
    try:
        compile(text, "program.py", "exec")
    except SyntaxError:
        return False
    return True


def _length(text: str) -> tuple[int, int]:
    return text.count("\n"), len(text)


def _smaller(program: str) -> Iterator[str]:
    """Programs with one part less, the largest parts first."""
    bodies = len(list(_bodies(ast.parse(program))))
    for place in range(bodies):
        size = len(list(_bodies(ast.parse(program)))[place])
        for width in (8, 4, 2, 1):
            for start in range(size - 1, -1, -1):
                if start + width <= size or width == 1:
                    yield from _without(program, place, start, width)
    for place in range(bodies):
        yield from _unwrapped(program, place)
    yield from _shorter_expressions(program)


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            value = getattr(node, name, None)
            if isinstance(value, list) and value:
                yield value


def _text(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _without(program: str, place: int, start: int, width: int) -> Iterator[str]:
    tree = ast.parse(program)
    body = list(_bodies(tree))[place]
    del body[start : start + width]
    if not body and body is not tree.body:
        body.append(ast.Pass())
    yield _text(tree)


def _unwrapped(program: str, place: int) -> Iterator[str]:
    size = len(list(_bodies(ast.parse(program)))[place])
    for at in range(size):
        tree = ast.parse(program)
        body = list(_bodies(tree))[place]
        stmt = body[at]
        if isinstance(stmt, ast.If | ast.For | ast.While | ast.With):
            body[at : at + 1] = stmt.body
            yield _text(tree)


def _shorter_expressions(program: str) -> Iterator[str]:
    """Programs with one expression replaced by a part of it, or by a plain name."""
    count = sum(isinstance(node, ast.expr) for node in ast.walk(ast.parse(program)))
    for place in range(count):
        tree = ast.parse(program)
        node = [n for n in ast.walk(tree) if isinstance(n, ast.expr)][place]
        for child in range(len(list(_parts(node)))):
            tree = ast.parse(program)
            node = [n for n in ast.walk(tree) if isinstance(n, ast.expr)][place]
            part = list(_parts(node))[child]
            _Replace(node, part).visit(tree)
            yield _text(tree)


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    for child in ast.walk(node):
        if child is not node and isinstance(
            child, ast.BinOp | ast.Call | ast.Name | ast.Subscript | ast.Constant
        ):
            yield child


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().generic_visit(node)
