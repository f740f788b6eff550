"""Plans on small programs, their places named by the text that stands there."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import pytest

from lintgrad.diagnostics import Action, Applicability, FixPlan, Site
from lintgrad.fixes import apply, resolve
from lintgrad.source import Problem, SourceFile, from_bytes, parse, positions

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
    """The only node of `kind` that `text` stands for."""
    tree = parse(source)
    assert not isinstance(tree, Problem)
    nodes = _Nodes()
    tree.visit(nodes)
    where = positions(source)

    def written(node: cst.CSTNode) -> str:
        start, end = where.range(node)
        return source.text[start:end]

    found = [node for node in nodes.found if isinstance(node, kind) and written(node) == text]
    assert len(found) == 1, f"{len(found)} places hold {text!r}"
    return Site(source.path, found[0])


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
