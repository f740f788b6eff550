"""Spans of files in SARIF's words."""

from __future__ import annotations

from lintgrad.diagnostics import Span
from lintgrad.reporters.jsonform import Json, JsonObject
from lintgrad.reporters.locations import absolute_uri, relative_uri
from lintgrad.reporters.report import Report
from lintgrad.reporters.sources import Sources

BASE = "%SRCROOT%"
"""The name of the folder that URIs are relative to, which code scanning takes for the repository."""


class Places:
    """Makes locations, and asks the file system for each path once."""

    def __init__(self, report: Report) -> None:
        self.sources = Sources(report.texts)
        self._report = report
        self._artifacts: dict[str, JsonObject] = {}

    def artifact(self, path: str) -> JsonObject:
        """The `artifactLocation` of a file: relative to the root if it lies under it."""
        if path not in self._artifacts:
            uri = relative_uri(path, self._report)
            self._artifacts[path] = (
                {"uri": absolute_uri(path, self._report)} if uri is None else {"uri": uri, "uriBaseId": BASE}
            )
        return self._artifacts[path]

    def uri(self, path: str) -> str:
        """The URI of a file as `artifact` gives it."""
        return str(self.artifact(path)["uri"])

    def physical(self, path: str, span: Span, *, context: bool = False) -> JsonObject:
        """The `physicalLocation` of a span, on demand with the lines around it."""
        place: dict[str, Json] = {
            "artifactLocation": self.artifact(path),
            "region": {**region(span), **self._snippet(path, span)},
        }
        around = self._around(path, span) if context else None
        if around is not None:
            place["contextRegion"] = around
        return place

    def _snippet(self, path: str, span: Span) -> JsonObject:
        text = self.sources.cut(path, span)
        return {"snippet": {"text": text}} if text else {}

    def _around(self, path: str, span: Span) -> JsonObject | None:
        """The span's lines and one more on each side; None where they hold no more than the span."""
        lines = self.sources.lines(path)
        first, last = max(span.line - 1, 1), min(span.end_line + 1, len(lines))
        text = "\n".join(lines[first - 1 : last])
        if not text.strip() or text == self.sources.cut(path, span):
            return None
        return {"startLine": first, "endLine": last, "snippet": {"text": text}}


def region(span: Span) -> dict[str, Json]:
    """The span as a `region`."""
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
