"""A run in one sentence."""

from __future__ import annotations

from lintgrad.diagnostics import Applicability, Severity
from lintgrad.reporters.report import Report
from lintgrad.reporters.verdicts import tally

_NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def counted(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary(report: Report) -> str:
    """The sentence: what was found where, what was and what can be fixed."""
    parts = [_found(report)]
    verified = tally(report.diagnostics)
    if verified:
        parts.append(verified)
    if report.fixed:
        parts.append(f"{report.fixed} fixed")
    fixable = _fixable(report)
    if fixable:
        parts.append(fixable)
    return "; ".join(parts)


def _found(report: Report) -> str:
    checked = counted(report.files_checked, "file")
    if not report.diagnostics:
        return f"No findings in {checked}"
    counts = {severity: report.count(severity) for severity in Severity}
    parts = [counted(counts[severity], noun) for severity, noun in _NOUNS.items() if counts[severity]]
    if counts[Severity.INFO]:
        parts.append(f"{counts[Severity.INFO]} info")
    files = counted(report.files_with_findings, "file")
    return f"{', '.join(parts)} in {files} ({report.files_checked} checked)"


def _fixable(report: Report) -> str:
    """What `--fix` could still do; fixes for display only are nobody's to apply."""
    safe = report.fixable(Applicability.SAFE)
    unsafe = report.fixable(Applicability.UNSAFE)
    if safe and unsafe:
        return f"{safe} fixable with --fix, {unsafe} more with --unsafe-fixes"
    if unsafe:
        return f"{unsafe} fixable with --fix --unsafe-fixes"
    return f"{safe} fixable with --fix" if safe else ""
