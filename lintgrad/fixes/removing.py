"""Taking statements and arguments out of the text, with what belongs to them."""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from lintgrad.fixes.edits import Change
from lintgrad.fixes.statements import Placed
from lintgrad.source import SourceFile
from lintgrad.source.positions import Positions


def without_statement(
    source: SourceFile, positions: Positions, placed: Placed, gone: Collection[int]
) -> Change | None:
    """The change that takes out the statement at `placed`.

    `gone` are the identities of all statements that the same plan takes out. Where they leave a
    block empty, `pass` stands for the first.
    """
    if placed.is_elif:
        return None
    start, end = _extent(positions, placed)
    statements = placed.block.statements
    if not placed.block.is_module and all(id(other.node) in gone for other in statements):
        if statements[0] is placed:
            return Change(start, end, "pass")
        if placed.inline:
            return None
    if len(placed.line) > 1 or placed.inline:
        return _beside_others(positions, placed)
    return _whole_lines(source, start, end)


def _extent(positions: Positions, placed: Placed) -> tuple[int, int]:
    """The statement's text; a compound one begins with its decorators."""
    end = positions.whole(placed.node)[1] if placed.is_compound else positions.range(placed.node)[1]
    return positions.range(placed.first_node)[0], end


def _beside_others(positions: Positions, placed: Placed) -> Change:
    """`a; b`: up to the next statement, or for the last one from the end of the one before."""
    index = placed.index
    if index + 1 < len(placed.line):
        return Change(positions.range(placed.node)[0], positions.range(placed.line[index + 1])[0], "")
    return Change(positions.range(placed.line[index - 1])[1], positions.whole(placed.node)[1], "")


def _whole_lines(source: SourceFile, start: int, end: int) -> Change:
    """From the beginning of the first line to the end of the last, a comment behind included."""
    lines, text = source.lines, source.text
    first, last = lines.start(start), lines.end(end)
    if last == len(text) and first > 0 and not text.endswith(("\n", "\r")):
        # The file has no line end at its end, and shall have none after.
        return Change(first - (2 if text.startswith("\r\n", first - 2) else 1), last, "")
    return Change(first, last, "")


def without_argument(positions: Positions, call: cst.Call, keyword: str) -> Change | None:
    """The change that takes `keyword=...` out of a call, with its comma and blanks."""
    args = call.args
    index = next((i for i, arg in enumerate(args) if arg.keyword and arg.keyword.value == keyword), None)
    if index is None:
        return None
    if index + 1 < len(args):
        return Change(positions.range(args[index])[0], positions.range(args[index + 1])[0], "")
    if index > 0:
        return Change(positions.range(args[index - 1])[1], positions.range(args[index])[1], "")
    inside, end = positions.between(call.whitespace_before_args, args[0])
    return Change(inside, end, "")
