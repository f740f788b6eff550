"""Generic issues, which SonarQube imports."""

from __future__ import annotations

from lintgrad.diagnostics import Diagnostic, Severity, Span
from lintgrad.reporters.jsonform import Json, JsonObject, dumps
from lintgrad.reporters.locations import shown_under_root
from lintgrad.reporters.report import Report
from lintgrad.reporters.sources import Sources
from lintgrad.reporters.verdicts import verdict_words

_IMPACTS = {Severity.ERROR: "HIGH", Severity.WARNING: "MEDIUM", Severity.INFO: "LOW"}


def render(report: Report) -> str:
    """One object with the rules that found something, and the issues with their paths."""
    sources = Sources(report.texts)
    first = {d.code: d for d in reversed(report.diagnostics)}
    rules: list[Json] = [_rule(first[code], report) for code in sorted(first)]
    return dumps({"rules": rules, "issues": [_issue(d, report, sources) for d in report.diagnostics]})


def _rule(d: Diagnostic, report: Report) -> JsonObject:
    """The rule of `d`, with the rule's own severity where the rule is known."""
    rule = report.rules.get(d.code)
    severity = d.severity if rule is None else rule.severity
    return {
        "id": d.code,
        "name": d.name,
        "description": d.name if rule is None else rule.summary,
        "engineId": "lintgrad",
        "cleanCodeAttribute": "LOGICAL",
        "impacts": [{"softwareQuality": "RELIABILITY", "severity": _IMPACTS[severity]}],
    }


def _issue(d: Diagnostic, report: Report, sources: Sources) -> JsonObject:
    parts = [d.message]
    if d.help:
        parts.append(f"help: {d.help}")
    if d.verification is not None:
        parts.append(f"verdict: {verdict_words(d.verification)}")
    issue: dict[str, Json] = {
        "ruleId": d.code,
        "primaryLocation": _location(d.path, d.span, "\n".join(parts), report, sources),
    }
    if d.notes:
        issue["secondaryLocations"] = [
            _location(note.path, note.span, note.message or d.message, report, sources) for note in d.notes
        ]
    return issue


def _location(path: str, span: Span, message: str, report: Report, sources: Sources) -> JsonObject:
    return {
        "message": message,
        "filePath": shown_under_root(path, report),
        "textRange": _range(path, span, sources),
    }


def _range(path: str, span: Span, sources: Sources) -> JsonObject:
    """Columns are 0-based and count UTF-16 units.

    A range that is empty or leaves its line makes the whole scan fail: such a one has its line alone.
    """
    if not sources.cut(path, span):
        return {"startLine": span.line}
    return {
        "startLine": span.line,
        "endLine": span.end_line,
        "startColumn": _units(path, span.line, span.column, sources),
        "endColumn": _units(path, span.end_line, span.end_column, sources),
    }


def _units(path: str, line: int, column: int, sources: Sources) -> int:
    before = (sources.line(path, line) or "")[: column - 1]
    return len(before.encode("utf-16-le", "surrogatepass")) // 2
