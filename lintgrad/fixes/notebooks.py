"""Writing changed cells back into a notebook: nothing but their sources changes in the file."""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence

from lintgrad.cells import Cell, Notebook
from lintgrad.fixes.edits import Change, changed
from lintgrad.source import SourceFile
from lintgrad.source.lines import Lines
from lintgrad.source.notebooks import RawCell, raw_cells


def written(source: SourceFile, notebook: Notebook, changes: Sequence[Change]) -> bytes | None:
    """The bytes of the notebook after `changes` to its program.

    None where a change leaves its cell or touches a line that is no Python there.
    """
    by_cell: dict[Cell, list[Change]] = {}
    for change in changes:
        cell = notebook.cell(source.lines.place(change.start)[0])
        if not _is_within(cell, change, source.lines):
            return None
        by_cell.setdefault(cell, []).append(change)
    text, raw = raw_cells(source.data)
    numbered = {cell.number: cell for cell in raw}
    splices = [
        _splice(text, numbered[cell.number], _edited(cell, numbered[cell.number].text, found, source.lines))
        for cell, found in by_cell.items()
    ]
    mark = codecs.BOM_UTF8 if source.data.startswith(codecs.BOM_UTF8) else b""
    return mark + changed(text, splices).encode()


def _is_within(cell: Cell, change: Change, lines: Lines) -> bool:
    """Whether a change stays in its cell and leaves the magics of it alone."""
    first, _ = lines.place(change.start)
    last, column = lines.place(change.end)
    if last > first and column == 1:
        last -= 1  # it ends with the row before
    return last < cell.end and cell.magics.isdisjoint(range(first, last + 1))


def _edited(cell: Cell, raw: str, changes: Sequence[Change], lines: Lines) -> str:
    """The source of a cell after `changes`, which are at offsets in the program of `lines`."""
    own = Lines(raw)

    def moved(offset: int) -> int:
        row, column = lines.place(offset)
        within = row - cell.first + 1
        return own.offset(within, column) if within <= own.count else len(raw)

    end = "\r\n" if "\r\n" in raw else "\n"
    made = changed(raw, [Change(moved(c.start), moved(c.end), c.text.replace("\n", end)) for c in changes])
    # A last row that is taken out leaves the line end of the one before it.
    return made if raw.endswith("\n") else made.removesuffix(end)


def _splice(text: str, cell: RawCell, source: str) -> Change:
    """The change of the JSON `text` that gives a cell its new source, in the style of the old one."""
    strings = cell.strings
    start, end = strings[0].start, strings[-1].end
    ascii_only = text.isascii()
    if not cell.listed:
        return Change(start, end, json.dumps(source, ensure_ascii=ascii_only))
    first = _same_at_start(cell, source)
    last = _same_at_end(cell, source, first)
    head = sum(map(len, strings[:first]))
    tail = sum(map(len, strings[len(strings) - last :]))
    middle = source[head : len(source) - tail].splitlines(keepends=True)
    tokens = [
        *(text[string.start : string.end] for string in strings[:first]),
        *(json.dumps(row, ensure_ascii=ascii_only) for row in middle),
        *(text[string.start : string.end] for string in strings[len(strings) - last :]),
    ]
    return Change(start, end, _separator(text, cell).join(tokens))


def _same_at_start(cell: RawCell, source: str) -> int:
    """How many of the old strings, from the first on, are lines of the new source as well."""
    number, position = 0, 0
    for string in cell.strings:
        if not string.endswith("\n") or not source.startswith(string, position):
            break
        number, position = number + 1, position + len(string)
    return number


def _same_at_end(cell: RawCell, source: str, before: int) -> int:
    """How many of the old strings behind the first `before` close the new source as well."""
    position = len(source)
    least = sum(map(len, cell.strings[:before]))
    for number, string in enumerate(reversed(cell.strings[before:])):
        begin = position - len(string)
        at_start = begin == 0 or source[begin - 1 : begin] == "\n"
        if begin < least or not at_start or not source.endswith(string, 0, position):
            return number
        position = begin
    return len(cell.strings) - before


def _separator(text: str, cell: RawCell) -> str:
    """What stands between two strings of the cell's list, or would stand there."""
    strings = cell.strings
    if len(strings) > 1:
        return text[strings[0].end : strings[1].start]
    opening = text.rindex("[", 0, strings[0].start)
    return f",{text[opening + 1 : strings[0].start]}"
