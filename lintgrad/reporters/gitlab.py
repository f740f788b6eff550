"""Code quality reports, which GitLab shows in merge requests."""

from __future__ import annotations

from lintgrad.diagnostics import Diagnostic, Severity
from lintgrad.reporters.fingerprints import stable_fingerprints
from lintgrad.reporters.jsonform import Json, JsonObject, dumps
from lintgrad.reporters.locations import shown_under_root
from lintgrad.reporters.report import Report
from lintgrad.reporters.sources import code_lines

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "minor"}


def render(report: Report) -> str:
    """An array of issues, `[]` for a clean run: a report that is not there keeps the old one shown."""
    prints = stable_fingerprints(
        (d.code, shown_under_root(d.path, report), code)
        for d, code in zip(report.diagnostics, code_lines(report), strict=True)
    )
    issues: list[Json] = [
        _issue(d, fingerprint, report) for d, fingerprint in zip(report.diagnostics, prints, strict=True)
    ]
    return dumps(issues)


def _issue(d: Diagnostic, fingerprint: str, report: Report) -> JsonObject:
    return {
        # GitLab does not show `check_name`.
        "description": f"{d.code} {d.name}: {d.message}",
        "check_name": d.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[d.severity],
        "location": {
            "path": shown_under_root(d.path, report),
            "lines": {"begin": d.span.line, "end": d.span.end_line},
        },
    }
