"""Everything a diagnostic holds, as JSON, for scripts."""

from __future__ import annotations

from collections.abc import Mapping

from lintgrad.cells import Notebook
from lintgrad.diagnostics import (
    Applicability,
    Diagnostic,
    Edit,
    Fix,
    PathNote,
    Severity,
    Span,
)
from lintgrad.reporters.jsonform import Json, JsonObject, dumps
from lintgrad.reporters.report import Report
from lintgrad.reporters.verdicts import verification_object

VERSION = 1
"""Goes up when a field is taken away or changes its meaning, not when one is added."""


def render(report: Report) -> str:
    """One object: `version`, `diagnostics` and `summary`. Paths are as the user gave them.

    In a notebook, lines are those of the cell, which stands beside them with the line of the file.
    """
    diagnostics = [diagnostic_object(d, report.notebooks) for d in report.diagnostics]
    return dumps({"version": VERSION, "diagnostics": diagnostics, "summary": summary_object(report)})


def diagnostic_object(d: Diagnostic, notebooks: Mapping[str, Notebook]) -> JsonObject:
    """All that the diagnostic holds."""
    notebook = notebooks.get(d.path)
    return {
        "path": d.path,
        **_place(d.span, notebook),
        "code": d.code,
        "name": d.name,
        "severity": d.severity.value,
        "confidence": d.confidence.value,
        "message": d.message,
        "help": d.help,
        "path_notes": [_note(note, notebooks) for note in d.notes],
        "fix": None if d.fix is None else _fix(d.fix, notebook),
        "verification": None if d.verification is None else verification_object(d.verification),
    }


def _place(span: Span, notebook: Notebook | None) -> dict[str, Json]:
    told = span if notebook is None else notebook.inside(span)
    place: dict[str, Json] = {
        "line": told.line,
        "column": told.column,
        "end_line": told.end_line,
        "end_column": told.end_column,
    }
    if notebook is not None:
        cell = notebook.cell(span.line)
        place |= {"cell": cell.number, "cell_id": cell.id, "file_line": notebook.written(span).line}
    return place


def _note(note: PathNote, notebooks: Mapping[str, Notebook]) -> JsonObject:
    return {
        "path": note.path,
        **_place(note.span, notebooks.get(note.path)),
        "message": note.message,
    }


def _fix(fix: Fix, notebook: Notebook | None) -> JsonObject:
    return {
        "title": fix.title,
        "applicability": fix.applicability.value,
        "edits": [_edit(edit, notebook) for edit in fix.edits],
    }


def _edit(edit: Edit, notebook: Notebook | None) -> JsonObject:
    return {**_place(edit.span, notebook), "text": edit.text}


def summary_object(report: Report) -> JsonObject:
    """The run's counts, and what lintgrad could not do."""
    return {
        "errors": report.count(Severity.ERROR),
        "warnings": report.count(Severity.WARNING),
        "infos": report.count(Severity.INFO),
        "files_checked": report.files_checked,
        "files_with_findings": report.files_with_findings,
        "fixable": report.fixable(Applicability.SAFE),
        "fixable_unsafe": report.fixable(Applicability.UNSAFE),
        "fixed": report.fixed,
        "suppressed": report.suppressed,
        "failures": list(report.failures),
    }
