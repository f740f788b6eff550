"""Programs with expressions and statements where nobody would write them."""

from __future__ import annotations

import ast
import random
from copy import deepcopy
from functools import cache

from tests.robustness.odd_pieces import EXPRESSIONS, HEADS, STATEMENTS
from tests.robustness.seeds import seeds
from tests.robustness.text_mutations import text_mutant


@cache
def _trees() -> tuple[ast.Module, ...]:
    return tuple(tree for tree in map(_parsed, seeds()) if tree is not None)


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:  # newer than this Python
        return None


@cache
def _pieces(texts: tuple[str, ...]) -> tuple[ast.stmt, ...]:
    return tuple(ast.parse(text).body[0] for text in texts)


def tree_mutant(number: int) -> bytes:
    """The program that is made from `number`."""
    r = random.Random(number)
    tree = deepcopy(r.choice(_trees()))
    for _ in range(r.choice((1, 2, 3, 5, 8, 13))):
        r.choice((_expression, _expression, _statement, _rename))(r, tree)
    try:
        return ast.unparse(ast.fix_missing_locations(tree)).encode("utf-8", errors="surrogatepass")
    except (AttributeError, ValueError, TypeError, RecursionError):  # no text has such a tree
        return text_mutant(number)


def _nodes(tree: ast.Module, kind: type[ast.AST]) -> list[ast.AST]:
    return [node for node in ast.walk(tree) if isinstance(node, kind)]


def _expression(r: random.Random, tree: ast.Module) -> None:
    """Put another expression in the place of one that is read."""
    places: list[tuple[ast.AST, str, int | None]] = []
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and isinstance(getattr(value, "ctx", ast.Load()), ast.Load):
                places.append((node, name, None))
            elif isinstance(value, list):
                places += [(node, name, k) for k, one in enumerate(value) if isinstance(one, ast.expr)]
    if not places:
        return
    node, name, index = r.choice(places)
    made = _some_expression(r, tree)
    if index is None:
        setattr(node, name, made)
    else:
        getattr(node, name)[index] = made


def _some_expression(r: random.Random, tree: ast.Module) -> ast.expr:
    """One of this program, of another, or an odd one about a name of this program."""
    if r.random() < 0.5:
        made = deepcopy(r.choice(_pieces(tuple(EXPRESSIONS))))
        assert isinstance(made, ast.Expr)
        names = [node.id for node in _nodes(tree, ast.Name) if isinstance(node, ast.Name)] or ["x"]
        for node in ast.walk(made):
            if isinstance(node, ast.Name) and node.id == "x":
                node.id = r.choice(names)
        return made.value
    source = tree if r.random() < 0.6 else r.choice(_trees())
    found = [node for node in _nodes(source, ast.expr) if isinstance(node, ast.expr)]
    return deepcopy(r.choice(found)) if found else ast.Constant(None)


def _statement(r: random.Random, tree: ast.Module) -> None:
    """Take a statement out, double it, move it, wrap it, or bring one in."""
    blocks = [
        value
        for node in ast.walk(tree)
        for _, value in ast.iter_fields(node)
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt)
    ]
    if not blocks:
        return
    block, other = r.choice(blocks), r.choice(blocks)
    k = r.randrange(len(block))
    match r.randrange(6):
        case 0 if len(block) > 1:
            del block[k]
        case 1:
            block.insert(r.randrange(len(block) + 1), deepcopy(block[k]))
        case 2:
            other.insert(r.randrange(len(other) + 1), deepcopy(block[k]))
        case 3:
            block[k] = _wrapped(r, block[k])
        case 4:
            block.insert(k, deepcopy(r.choice(_pieces(tuple(STATEMENTS)))))
        case _:
            found = _nodes(r.choice(_trees()), ast.stmt)
            block.insert(k, deepcopy(r.choice(found)))


def _wrapped(r: random.Random, stmt: ast.stmt) -> ast.stmt:
    """`stmt` inside a loop, a condition, a function or the like."""
    head = r.choice(HEADS)
    rest = r.choice(("\nfinally: pass", "\nexcept x as x: pass")) if head == "try:" else ""
    made = ast.parse(f"{head}\n    pass{rest}").body[0]
    made.body = [stmt]  # type: ignore[attr-defined]  # all of them have a body
    return made


def _rename(r: random.Random, tree: ast.Module) -> None:
    """Give a name the place of another."""
    names = [node for node in _nodes(tree, ast.Name) if isinstance(node, ast.Name)]
    attributes = [node for node in _nodes(tree, ast.Attribute) if isinstance(node, ast.Attribute)]
    if names and (r.random() < 0.6 or not attributes):
        r.choice(names).id = r.choice(names).id
    elif attributes:
        r.choice(attributes).attr = r.choice(attributes).attr
