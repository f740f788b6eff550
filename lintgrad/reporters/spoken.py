"""A finding in plain lines, for formats that have one field for all there is to say."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.diagnostics import Diagnostic
from lintgrad.reporters.locations import shown_under_root
from lintgrad.reporters.report import Report
from lintgrad.reporters.verdicts import verdict_words


def spoken_lines(d: Diagnostic, report: Report) -> Iterator[str]:
    """The message, the steps that lead to it, the help and the verdict, each on its line."""
    yield d.message
    for number, note in enumerate(d.notes, start=1):
        yield f"{number}. {shown_under_root(note.path, report)}:{note.span.line}: {note.message}"
    if d.help:
        yield f"help: {d.help}"
    if d.verification is not None:
        yield f"verdict: {verdict_words(d.verification)}"
