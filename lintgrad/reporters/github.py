"""Workflow commands, which GitHub Actions shows as annotations on the changed lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lintgrad.diagnostics import Diagnostic, Severity
from lintgrad.reporters.locations import shown_under_root
from lintgrad.reporters.report import Report
from lintgrad.reporters.spoken import spoken_lines
from lintgrad.reporters.summary import counted

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
SHOWN = 10
"""How many annotations of one type GitHub shows for a step; the others stay in the log."""


def render(report: Report) -> str:
    """A command for each diagnostic, the gravest first, and a line that says how many are too many."""
    lines = [_command(d, report) for d in _gravest_first(report)]
    lines.extend(_overflow(report))
    return "".join(f"{line}\n" for line in lines)


def beyond(report: Report) -> tuple[Diagnostic, ...]:
    """The diagnostics that GitHub will not show as annotations, for the summary of the job."""
    seen: Counter[Severity] = Counter()
    left = []
    for d in _gravest_first(report):
        seen[d.severity] += 1
        if seen[d.severity] > SHOWN:
            left.append(d)
    return tuple(left)


def _gravest_first(report: Report) -> list[Diagnostic]:
    return sorted(report.diagnostics, key=lambda d: (d.severity.rank, d.sort_key))


def _command(d: Diagnostic, report: Report) -> str:
    properties = ",".join(f"{key}={escape_property(value)}" for key, value in _properties(d, report))
    message = "\n".join(spoken_lines(d, report))
    return f"::{_COMMANDS[d.severity]} {properties}::{escape_message(message)}"


def _properties(d: Diagnostic, report: Report) -> Iterator[tuple[str, str]]:
    """Columns are left out where the span has several lines: the runner would drop them."""
    yield "file", shown_under_root(d.path, report)
    yield "line", str(d.span.line)
    yield "endLine", str(d.span.end_line)
    if d.span.line == d.span.end_line:
        yield "col", str(d.span.column)
        yield "endColumn", str(d.span.end_column)
    yield "title", f"{d.code} {d.name}"


def escape_message(text: str) -> str:
    """Text for behind the `::`. The runner does not decode colons and commas there."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """Text for a property's value."""
    return escape_message(text).replace(":", "%3A").replace(",", "%2C")


def _overflow(report: Report) -> list[str]:
    over = {command: report.count(severity) - SHOWN for severity, command in _COMMANDS.items()}
    parts = [counted(number, command) for command, number in over.items() if number > 0]
    if not parts:
        return []
    return [f"lintgrad: {', '.join(parts)} without annotation: GitHub shows {SHOWN} of each type for a step"]
