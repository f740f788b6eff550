"""The lines of the files that a report quotes, split as Python and as other programs number them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from lintgrad.cells import Notebook
from lintgrad.diagnostics import Span
from lintgrad.reporters.report import Report

_LINE_END = re.compile("\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Sources:
    """Reads lines and spans out of a report's texts; each text is split once.

    `str.splitlines` will not do: it also breaks at form feeds and other characters that end no
    line of a Python file.
    """

    texts: Mapping[str, str]
    notebooks: Mapping[str, Notebook] = field(default_factory=dict)
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def lines(self, path: str) -> list[str]:
        """The lines of the file without their ends; none when its text is not known."""
        if path not in self._lines:
            text = self.texts.get(path)
            self._lines[path] = [] if text is None else _LINE_END.split(text)
        return self._lines[path]

    def line(self, path: str, number: int) -> str | None:
        """The line with this 1-based number; None when there is no such line."""
        lines = self.lines(path)
        return lines[number - 1] if 1 <= number <= len(lines) else None

    def cut(self, path: str, span: Span) -> str | None:
        """The text of the span, with line feeds between lines; None when it leaves the text."""
        lines = self.lines(path)[span.line - 1 : span.end_line]
        if len(lines) != span.end_line - span.line + 1:
            return None
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return "\n".join(lines)


def code_lines(report: Report) -> list[str]:
    """For each diagnostic, the line of code that it begins on; empty where the text is not known."""
    read = report.by_cell or report
    sources = Sources(read.texts)
    return [sources.line(d.path, d.span.line) or "" for d in read.diagnostics]
