"""One source line, drawn so that it fits, and where on it a span is to be underlined."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate

from lintgrad.diagnostics import Span
from lintgrad.reporters.display import cells

ELLIPSIS = "..."
_CONTEXT = 16
"""Columns kept left of a span when the beginning of its line is cut off."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The line as drawn, and the underline's first column (0-based) and length in it, in columns."""

    text: str
    start: int
    length: int


def excerpt(line: str, span: Span, limit: int) -> Excerpt:
    """`line`, the first of `span`, cut to `limit` columns around the span.

    A span that goes on in later lines is underlined to the end of this one, and an empty span gets
    one mark, so that there is always something to see.
    """
    drawn = cells(line.rstrip())
    first = min(span.column - 1, len(drawn))
    last = min(span.end_column - 1, len(drawn)) if span.end_line == span.line else len(drawn)
    columns = list(accumulate((w for _, w in drawn), initial=0))
    length = max(columns[max(first, last)] - columns[first], 1)
    return _cut([text for text, _ in drawn], columns, columns[first], length, limit)


def _cut(shown: list[str], columns: list[int], start: int, length: int, limit: int) -> Excerpt:
    """The window of the line that holds the span; `columns[i]` is where `shown[i]` begins."""
    total = columns[-1]
    if total <= limit:
        return Excerpt("".join(shown), start, length)
    begin = bisect_left(columns, _left_edge(start, length, limit, total))
    head = ELLIPSIS if begin else ""
    room = limit - len(head)
    if total - columns[begin] > room:
        room -= len(ELLIPSIS)
    end = bisect_right(columns, columns[begin] + room) - 1
    tail = ELLIPSIS if end < len(shown) else ""
    text = head + "".join(shown[begin:end]) + tail
    kept = min(length, columns[end] - start)
    return Excerpt(text, start - columns[begin] + len(head), max(kept, 1))


def _left_edge(start: int, length: int, limit: int, total: int) -> int:
    """The first column to show: none is cut off on the left as long as the span can be seen."""
    room = limit - len(ELLIPSIS)
    if start + length <= room:
        return 0
    return min(max(start - _CONTEXT, 0), total - room)
