"""Findings in notebooks: by cell where people read, by the file's lines where programs do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lintgrad.cells import Notebook
from lintgrad.diagnostics import Diagnostic, PathNote, Span
from lintgrad.reporters.display import one_line
from lintgrad.reporters.report import Report


def inside(path: str, span: Span, notebooks: Mapping[str, Notebook]) -> Span:
    """The span as it is told of: in lines of its file, or of its cell."""
    return notebooks[path].inside(span) if path in notebooks else span


def unit(path: str, span: Span, notebooks: Mapping[str, Notebook]) -> str:
    """What the lines of the span are lines of, on one line: `train.py`, or `train.ipynb:cell 5`."""
    shown = one_line(path)
    return f"{shown}:cell {notebooks[path].cell(span.line).number}" if path in notebooks else shown


def place(path: str, span: Span, notebooks: Mapping[str, Notebook]) -> str:
    """Where the span begins: `train.py:3:5`, or `train.ipynb:cell 5:3:5`."""
    told = inside(path, span, notebooks)
    return f"{unit(path, span, notebooks)}:{told.line}:{told.column}"


def by_file(report: Report) -> Report:
    """The report with all that lies in notebooks at the places of the files themselves.

    They are the strings of the JSON in which the lines are written; the cell and the line in it are told
    in the messages. Texts of notebooks are left out: they are not what the files hold. So are edits.
    """
    if not report.notebooks:
        return report
    return replace(
        report,
        diagnostics=tuple(_by_file(d, report.notebooks) for d in report.diagnostics),
        texts={path: text for path, text in report.texts.items() if path not in report.notebooks},
        notebooks={},
        by_cell=report,
    )


def _by_file(d: Diagnostic, notebooks: Mapping[str, Notebook]) -> Diagnostic:
    notes = tuple(
        PathNote(note.path, _written(note.path, note.span, notebooks), _told(note, notebooks))
        for note in d.notes
    )
    if d.path not in notebooks:
        return replace(d, notes=notes)
    return replace(
        d,
        span=_written(d.path, d.span, notebooks),
        message=f"{d.message}{_cell(d.path, d.span, notebooks)}",
        notes=notes,
        fix=None if d.fix is None else replace(d.fix, edits=()),
    )


def _written(path: str, span: Span, notebooks: Mapping[str, Notebook]) -> Span:
    return notebooks[path].written(span) if path in notebooks else span


def _told(note: PathNote, notebooks: Mapping[str, Notebook]) -> str:
    return f"{note.message}{_cell(note.path, note.span, notebooks)}" if note.message else ""


def _cell(path: str, span: Span, notebooks: Mapping[str, Notebook]) -> str:
    """The cell and the line in it, to stand behind a message."""
    if path not in notebooks:
        return ""
    return f" (cell {notebooks[path].cell(span.line).number}, line {inside(path, span, notebooks).line})"
