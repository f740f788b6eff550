"""Findings for people: what is wrong, and the path to it step by step, on the lines themselves."""

from __future__ import annotations

from lintgrad.reporters.block import block
from lintgrad.reporters.report import Report
from lintgrad.reporters.sources import Sources
from lintgrad.reporters.style import Style
from lintgrad.reporters.summary import summary


def render(report: Report) -> str:
    """Each diagnostic with its path, an empty line after each, and a summary."""
    style = Style(report.color)
    sources = Sources(report.texts, report.notebooks)
    blocks = [block(diagnostic, sources, style) for diagnostic in report.diagnostics]
    closing = summary(report)
    blocks.append(style.strong(closing) if blocks else style.good(closing))
    return "\n\n".join(blocks) + "\n"
