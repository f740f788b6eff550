"""Where each statement of a file stands: in which block, on which line, beside which others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import libcst as cst

from lintgrad.source.positions import Positions


@dataclass(slots=True, eq=False)
class Block:
    """The statements of one block in order; the module's own block may be empty."""

    is_module: bool
    statements: list[Placed] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Placed:
    """A statement in its block.

    `line` are the small statements that share its line, itself among them, and empty for a compound
    statement; `inline` when they stand behind the colon of a compound statement.
    """

    node: cst.CSTNode
    block: Block
    line: Sequence[cst.BaseSmallStatement] = ()
    inline: bool = False
    is_elif: bool = False

    @property
    def is_compound(self) -> bool:
        """Whether the statement has blocks of its own."""
        return not self.line

    @property
    def first_node(self) -> cst.CSTNode:
        """The node that the statement's text begins with: its first decorator, or itself."""
        decorators = getattr(self.node, "decorators", ())
        return decorators[0] if decorators else self.node

    @property
    def index(self) -> int:
        """Its place among the statements of its line."""
        return next(i for i, small in enumerate(self.line) if small is self.node)


class Statements:
    """All statements of a tree, by the identity of their nodes."""

    def __init__(self, tree: cst.Module, positions: Positions) -> None:
        self._positions = positions
        self._placed: dict[int, Placed] = {}
        self._of_value: dict[int, Placed] = {}
        for placed in _walk(tree.body, Block(is_module=True), inline=False):
            self._placed[id(placed.node)] = placed
            if isinstance(placed.node, cst.Expr):
                self._of_value[id(placed.node.value)] = placed

    def at(self, node: cst.CSTNode) -> Placed | None:
        """The statement that is `node`, or consists of the expression `node` alone."""
        return self._placed.get(id(node)) or self._of_value.get(id(node))

    def around(self, node: cst.CSTNode) -> Placed | None:
        """The innermost statement that `node` is or is part of."""
        found = self.at(node)
        if found is not None:
            return found
        start, end = self._positions.range(node)
        best: tuple[int, Placed] | None = None
        for placed in self._placed.values():
            first, last = self._positions.range(placed.node)
            if first <= start and end <= last and (best is None or last - first < best[0]):
                best = (last - first, placed)
        return None if best is None else best[1]


def _walk(body: Sequence[cst.CSTNode], block: Block, *, inline: bool) -> Iterator[Placed]:
    """The statements of a block and of the blocks in it."""
    if inline:
        yield from _small(cast("Sequence[cst.BaseSmallStatement]", body), block, inline=True)
        return
    for node in body:
        if isinstance(node, cst.SimpleStatementLine):
            yield from _small(node.body, block, inline=False)
        else:
            yield from _compound(node, block, is_elif=False)


def _small(body: Sequence[cst.BaseSmallStatement], block: Block, *, inline: bool) -> Iterator[Placed]:
    for node in body:
        placed = Placed(node, block, body, inline)
        block.statements.append(placed)
        yield placed


def _compound(node: cst.CSTNode, block: Block, *, is_elif: bool) -> Iterator[Placed]:
    placed = Placed(node, block, is_elif=is_elif)
    if not is_elif:
        block.statements.append(placed)
    yield placed
    for suite in _suites(node):
        if isinstance(suite, cst.If):
            yield from _compound(suite, block, is_elif=True)
        else:
            inline = isinstance(suite, cst.SimpleStatementSuite)
            yield from _walk(suite.body, Block(is_module=False), inline=inline)


def _suites(node: cst.CSTNode) -> Iterator[cst.BaseSuite | cst.If]:
    """The blocks of a compound statement, an `elif` standing for its own."""
    if isinstance(node, cst.Match):
        for case in node.cases:
            yield case.body
        return
    yield cast("cst.If", node).body
    for handler in getattr(node, "handlers", ()):
        yield handler.body
    for name in ("orelse", "finalbody"):
        part = getattr(node, name, None)
        if part is not None:
            yield part if isinstance(part, cst.If) else part.body
