"""Plans on small programs, their places named by the text that stands there."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import pytest

from lintgrad.diagnostics import Action, Applicability, FixPlan, Site
from lintgrad.fixes import apply, resolve
from lintgrad.lowering import lower
from lintgrad.lowering.counterparts import counterpart
from lintgrad.program.walk import descend
from lintgrad.source import Problem, SourceFile, concrete_tree, from_bytes, parse
from lintgrad.source.positions import positions

PATH = "train.py"
MakeAction = Callable[[Site], Action]
Repair = Callable[..., str | None]


class _Nodes(cst.CSTVisitor):
    def __init__(self) -> None:
        self.found: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.found.append(node)
        return True


def read(data: str | bytes) -> SourceFile:
    source = from_bytes(PATH, data.encode() if isinstance(data, str) else data)
    assert isinstance(source, SourceFile)
    return source


def place(source: SourceFile, kind: type[cst.CSTNode], text: str) -> Site:
    """The only node of `kind` that `text` stands for, as the program has it where it does."""
    tree = concrete_tree(source)
    assert not isinstance(tree, Problem)
    nodes = _Nodes()
    tree.visit(nodes)
    where = positions(source)

    def written(node: cst.CSTNode) -> str:
        start, end = where.range(node)
        return source.text[start:end]

    found = [node for node in nodes.found if isinstance(node, kind) and written(node) == text]
    assert len(found) == 1, f"{len(found)} places hold {text!r}"
    return Site(source.path, _origin(source, found[0]))


def _origin(source: SourceFile, node: cst.CSTNode) -> object:
    """What a check would name for `node`; itself where the program has no part for it."""
    tree = parse(source)
    assert not isinstance(tree, Problem)
    parts = [part for statement in lower(source.path, tree).body for part in descend(statement)]
    same = [part.origin for part in parts if counterpart(source, part.origin) is node]
    return same[0] if same else node


def repaired(text: str, *wanted: tuple[type[cst.CSTNode], str, MakeAction]) -> str | None:
    """`text` after the plan of all the actions; None where the plan cannot be carried out."""
    source = read(text)
    actions = tuple(make(place(source, kind, snippet)) for kind, snippet, make in wanted)
    fix = resolve(source, FixPlan("a title", Applicability.SAFE, actions))
    if fix is None:
        return None
    data = apply(source, [fix])
    return None if data is None else data.decode()


@pytest.fixture
def repair() -> Repair:
    return repaired
