"""The cells of a notebook, as the rest of lintgrad needs to know them: plain data.

A notebook is linted as one program, its cells' code joined in their order. A *row* is a line of that
program, 1-based; people are told the cell and the line in it, other programs the place in the file.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from lintgrad.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell of a notebook.

    `number` counts all cells of the notebook from 1, those of text too; `id` is there from nbformat 4.5
    on. Its code stands in the program from row `first` on; `strings` has, for each row, where in the file
    the JSON string is that the row begins in. `magics` are those rows that held something else than Python.
    `shown` is where in the program the expression is whose value is shown below the cell, its last statement.
    """

    number: int
    id: str
    first: int
    strings: tuple[Span, ...]
    magics: frozenset[int] = frozenset()
    shown: Span | None = None

    @property
    def end(self) -> int:
        """The first row behind the cell."""
        return self.first + len(self.strings)


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells of a notebook that its program is made of, in order; at least one."""

    cells: tuple[Cell, ...]

    def cell(self, row: int) -> Cell:
        """The cell that a row of the program belongs to."""
        index = bisect_right([cell.first for cell in self.cells], row) - 1
        return self.cells[max(index, 0)]

    def inside(self, span: Span) -> Span:
        """A span of the program in lines of the cell that it begins in."""
        before = self.cell(span.line).first - 1
        return Span(span.line - before, span.column, span.end_line - before, span.end_column)

    def written(self, span: Span) -> Span:
        """The stretch of the file that a span of the program is written in: whole strings of the JSON."""
        first, last = self._string(span.line), self._string(span.end_line)
        return Span(first.line, first.column, last.end_line, last.end_column)

    def _string(self, row: int) -> Span:
        cell = self.cell(row)
        return cell.strings[min(max(row - cell.first, 0), len(cell.strings) - 1)]
