"""Between offsets into a text and its lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right

from lintgrad.diagnostics import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


class Lines:
    r"""The lines of a text, ended by `\n`, `\r\n` or `\r` as Python ends them (and not by form feeds).

    Lines and columns are 1-based, columns count code points.
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    @property
    def count(self) -> int:
        """How many lines there are; one more than line ends."""
        return len(self._starts)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column; ValueError where the text has no such line."""
        if not 1 <= line <= len(self._starts):
            raise ValueError(f"the text has no line {line}")
        return min(self._starts[line - 1] + column - 1, self._length)

    def start(self, offset: int) -> int:
        """The offset at which the line around `offset` begins."""
        return self._starts[bisect_right(self._starts, offset) - 1]

    def end(self, offset: int) -> int:
        """The offset at which the line around `offset` ends, its line end included."""
        index = bisect_right(self._starts, offset)
        return self._starts[index] if index < len(self._starts) else self._length

    def span(self, start: int, end: int) -> Span:
        """The span between two offsets."""
        return Span(*self.place(start), *self.place(end))
