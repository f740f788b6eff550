"""The diagnostic format of reviewdog, which comments on the lines of a review."""

from __future__ import annotations

from lintgrad.diagnostics import Applicability, Diagnostic, Severity, Span
from lintgrad.reporters.jsonform import Json, JsonObject, dumps
from lintgrad.reporters.locations import shown_under_root
from lintgrad.reporters.report import Report
from lintgrad.reporters.sources import Sources
from lintgrad.reporters.spoken import spoken_lines

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(report: Report) -> str:
    """One object; a fix of a single edit becomes a suggestion, as a suggestion is accepted by itself."""
    sources = Sources(report.texts)
    source: dict[str, Json] = {"name": "lintgrad"}
    if report.project_uri:
        source["url"] = report.project_uri
    return dumps(
        {"source": source, "diagnostics": [_diagnostic(d, report, sources) for d in report.diagnostics]}
    )


def _diagnostic(d: Diagnostic, report: Report, sources: Sources) -> JsonObject:
    code: dict[str, Json] = {"value": d.code}
    rule = report.rules.get(d.code)
    if rule is not None and rule.uri:
        code["url"] = rule.uri
    found: dict[str, Json] = {
        "message": "\n".join(spoken_lines(d, report)),
        "location": _location(d.path, d.span, report, sources),
        "severity": _SEVERITIES[d.severity],
        "code": code,
    }
    if d.notes:
        found["related_locations"] = [
            {"message": note.message, "location": _location(note.path, note.span, report, sources)}
            for note in d.notes
        ]
    suggestions = _suggestions(d, sources)
    return {**found, "suggestions": suggestions} if suggestions else found


def _suggestions(d: Diagnostic, sources: Sources) -> list[Json]:
    if d.fix is None or d.fix.applicability is Applicability.DISPLAY or len(d.fix.edits) != 1:
        return []
    (edit,) = d.fix.edits
    if sources.cut(d.path, edit.span) is None:
        return []
    return [{"range": _range(d.path, edit.span, sources), "text": edit.text}]


def _location(path: str, span: Span, report: Report, sources: Sources) -> JsonObject:
    return {"path": shown_under_root(path, report), "range": _range(path, span, sources)}


def _range(path: str, span: Span, sources: Sources) -> JsonObject:
    return {
        "start": _position(path, span.line, span.column, sources),
        "end": _position(path, span.end_line, span.end_column, sources),
    }


def _position(path: str, line: int, column: int, sources: Sources) -> JsonObject:
    """Columns count bytes of UTF-8; where the text is not known they are left out."""
    text = sources.line(path, line)
    if text is None:
        return {"line": line}
    return {"line": line, "column": len(text[: column - 1].encode("utf-8", "surrogatepass")) + 1}
