"""Colours, when they are wanted."""

from __future__ import annotations

from dataclasses import dataclass

import click

from lintgrad.diagnostics import Severity

_SEVERITY_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


@dataclass(frozen=True, slots=True)
class Style:
    """Wraps text in colours; gives it back as it is when `color` is false."""

    color: bool

    def severity(self, severity: Severity, text: str) -> str:
        """Text that stands for the fault: its severity, the mark under its place."""
        return self._style(text, fg=_SEVERITY_COLORS[severity], bold=True)

    def frame(self, text: str) -> str:
        """Line numbers, the gutter, the arrow."""
        return self._style(text, fg="blue", bold=True)

    def step(self, text: str) -> str:
        """The mark under a step that is not the fault itself, and its message."""
        return self._style(text, fg="blue")

    def strong(self, text: str) -> str:
        """What is to be read first."""
        return self._style(text, bold=True)

    def dim(self, text: str) -> str:
        """What is to be read last."""
        return self._style(text, dim=True)

    def good(self, text: str) -> str:
        """What is as it should be, or makes it so."""
        return self._style(text, fg="green", bold=True)

    def _style(
        self, text: str, *, fg: str | None = None, bold: bool | None = None, dim: bool | None = None
    ) -> str:
        return click.style(text, fg=fg, bold=bold, dim=dim) if self.color else text
