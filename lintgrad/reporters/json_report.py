"""Everything a diagnostic holds, as JSON, for scripts."""

from __future__ import annotations

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
    """One object: `version`, `diagnostics` and `summary`. Paths are as the user gave them."""
    diagnostics = [_diagnostic(d) for d in report.diagnostics]
    return dumps({"version": VERSION, "diagnostics": diagnostics, "summary": _summary(report)})


def _diagnostic(d: Diagnostic) -> JsonObject:
    return {
        "path": d.path,
        **_place(d.span),
        "code": d.code,
        "name": d.name,
        "severity": d.severity.value,
        "confidence": d.confidence.value,
        "message": d.message,
        "help": d.help,
        "path_notes": [_note(note) for note in d.notes],
        "fix": None if d.fix is None else _fix(d.fix),
        "verification": None if d.verification is None else verification_object(d.verification),
    }


def _place(span: Span) -> dict[str, Json]:
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def _note(note: PathNote) -> JsonObject:
    return {"path": note.path, **_place(note.span), "message": note.message}


def _fix(fix: Fix) -> JsonObject:
    return {
        "title": fix.title,
        "applicability": fix.applicability.value,
        "edits": [_edit(edit) for edit in fix.edits],
    }


def _edit(edit: Edit) -> JsonObject:
    return {**_place(edit.span), "text": edit.text}


def _summary(report: Report) -> JsonObject:
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
