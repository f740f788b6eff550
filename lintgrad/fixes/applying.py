"""From edits to the changed file."""

from __future__ import annotations

from collections.abc import Iterable

from lintgrad.diagnostics import Edit, Fix
from lintgrad.fixes.edits import Change, changed, overlap
from lintgrad.fixes.notebooks import written
from lintgrad.source import SourceFile, parses
from lintgrad.source.lines import Lines


def apply(source: SourceFile, fixes: Iterable[Fix]) -> bytes | None:
    """The bytes of `source` after `fixes`, taken in order; one that touches an earlier one is skipped.

    None where the result is no program any more, or cannot be written into the file.
    """
    taken: list[Change] = []
    for fix in fixes:
        changes = [_change(source.lines, edit) for edit in fix.edits]
        if not overlap([*taken, *changes]):
            taken += changes
    if not taken:
        return source.data
    text = changed(source.text, taken)
    if not parses(text):
        return None
    return _encoded(source, text) if source.notebook is None else written(source, source.notebook, taken)


def _change(lines: Lines, edit: Edit) -> Change:
    span = edit.span
    start = lines.offset(span.line, span.column)
    return Change(start, lines.offset(span.end_line, span.end_column), edit.text)


def _encoded(source: SourceFile, text: str) -> bytes | None:
    """`text` in the file's encoding, where that keeps the bytes of what was not changed."""
    try:
        if source.text.encode(source.encoding) != source.data:
            return None
        return text.encode(source.encoding)
    except UnicodeEncodeError:
        return None
