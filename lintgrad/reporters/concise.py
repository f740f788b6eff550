"""A line for each finding, in the form that editors and `grep` users parse."""

from __future__ import annotations

from collections.abc import Mapping

from lintgrad.cells import Notebook
from lintgrad.diagnostics import Confidence, Diagnostic
from lintgrad.reporters.display import one_line
from lintgrad.reporters.notebooks import place
from lintgrad.reporters.report import Report


def render(report: Report) -> str:
    """`path:line:col: error[LG101] message` for each diagnostic; nothing for a clean run."""
    return "".join(f"{_line(diagnostic, report.notebooks)}\n" for diagnostic in report.diagnostics)


def _line(d: Diagnostic, notebooks: Mapping[str, Notebook]) -> str:
    doubt = "" if d.confidence is Confidence.CERTAIN else f" ({d.confidence.value})"
    verdict = "" if d.verification is None else f" [{d.verification.verdict.value}]"
    where = place(d.path, d.span, notebooks)
    return f"{where}: {d.severity.value}[{d.code}] {one_line(d.message)}{doubt}{verdict}"
