"""JSON, one object a line, for programs that read while lintgrad's output streams past."""

from __future__ import annotations

import json

from lintgrad.reporters.json_report import VERSION, diagnostic_object, summary_object
from lintgrad.reporters.jsonform import JsonObject
from lintgrad.reporters.report import Report


def render(report: Report) -> str:
    """A line for each diagnostic, `kind` telling it from the last line, which sums the run up.

    The last line is always there: a log that lacks it was cut short.
    """
    lines: list[JsonObject] = [
        {"kind": "diagnostic", **diagnostic_object(d, report.notebooks)} for d in report.diagnostics
    ]
    lines.append({"kind": "summary", "version": VERSION, **summary_object(report)})
    return "".join(f"{json.dumps(line)}\n" for line in lines)
