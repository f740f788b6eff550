"""One diagnostic, drawn for the terminal.

The steps of its path stand in the order in which things happen, not in the order of the file: a
line number that falls is control that has come back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lintgrad.diagnostics import Applicability, Confidence, Diagnostic, PathNote, Span
from lintgrad.reporters.display import one_line, width
from lintgrad.reporters.excerpt import Excerpt, excerpt
from lintgrad.reporters.notebooks import inside, place, unit
from lintgrad.reporters.sources import Sources
from lintgrad.reporters.style import Style
from lintgrad.reporters.trail import fault_number, trail
from lintgrad.reporters.verdicts import fix_words, verdict_words
from lintgrad.reporters.wrapping import wrap

_WIDTH = 100
"""Columns that excerpts and prose keep to, on every terminal, so that output can be compared."""
_WIDE = 72
"""Columns that a message below its mark gets if it needs them; it moves to the left for them."""
_FIXES = {
    Applicability.SAFE: "fix available (safe)",
    Applicability.UNSAFE: "fix available (unsafe)",
    Applicability.DISPLAY: "suggestion",
}


def block(diagnostic: Diagnostic, sources: Sources, style: Style) -> str:
    """The diagnostic's lines, joined, without a line feed at the end."""
    steps = trail(diagnostic)
    margin = max(len(str(inside(step.path, step.span, sources.notebooks).line)) for step in steps)
    fault = fault_number(diagnostic, steps)
    return "\n".join(_Block(diagnostic, steps, fault, sources, style, margin).lines())


@dataclass(frozen=True, slots=True)
class _Block:
    """`fault` is the number of the step that is the fault, `margin` the columns that line numbers take."""

    diagnostic: Diagnostic
    steps: tuple[PathNote, ...]
    fault: int
    sources: Sources
    style: Style
    margin: int

    def lines(self) -> Iterator[str]:
        yield self._title()
        yield self._at("-->", self.diagnostic.path, self.diagnostic.span)
        yield from self._path()
        yield from self._footer()

    def _title(self) -> str:
        d = self.diagnostic
        label = self.style.severity(d.severity, f"{d.severity.value}[{d.code}]")
        doubt = "" if d.confidence is Confidence.CERTAIN else self.style.dim(f" ({d.confidence.value})")
        return f"{label} {d.name}{doubt}: {self.style.strong(one_line(d.message))}"

    def _at(self, arrow: str, path: str, span: Span) -> str:
        return f"{' ' * self.margin}{self.style.frame(arrow)} {place(path, span, self.sources.notebooks)}"

    def _gutter(self, number: int | None = None) -> str:
        return self.style.frame(f"{number or '':>{self.margin}} |")

    def _path(self) -> Iterator[str]:
        """The steps; a line that the step before has just shown is not shown again."""
        notebooks = self.sources.notebooks
        whole, shown = unit(self.diagnostic.path, self.diagnostic.span, notebooks), 0
        for number, step in enumerate(self.steps, start=1):
            source = self.sources.line(step.path, step.span.line)
            if source is None:
                yield from self._unseen(number, step)
                continue
            if unit(step.path, step.span, notebooks) != whole:
                yield from [self._gutter()] if shown else []
                yield self._at(":::", step.path, step.span)
                whole, shown = unit(step.path, step.span, notebooks), 0
            if not shown:
                yield self._gutter()
            drawn = excerpt(source, step.span, self._room)
            if shown != step.span.line:
                number_shown = inside(step.path, step.span, notebooks).line
                yield f"{self._gutter(number_shown)} {drawn.text}".rstrip()
                shown = step.span.line
            yield from self._mark(number, step, drawn)

    @property
    def _room(self) -> int:
        """Columns right of the gutter."""
        return _WIDTH - self.margin - len(" | ")

    def _numbered(self, number: int, message: str) -> tuple[str, str]:
        """A step's number, where there are several, and its message."""
        return (f"{number}. " if len(self.steps) > 1 and message else "", one_line(message))

    def _unseen(self, number: int, step: PathNote) -> Iterator[str]:
        """A step whose line is not there to be shown."""
        lead, message = self._numbered(number, step.message)
        if message:
            at = place(step.path, step.span, self.sources.notebooks)
            yield from self._remark(f"{lead}{at}", message)

    def _mark(self, number: int, step: PathNote, drawn: Excerpt) -> Iterator[str]:
        """The underline and the step's message: behind it where there is room, else below it."""
        fault = number == self.fault
        lead, message = self._numbered(number, step.message)
        mark = ("^" if fault else "-") * drawn.length
        behind = f"{mark} {lead}{message}".rstrip()
        if drawn.start + width(behind) <= self._room:
            yield self._under(drawn.start, behind, fault)
            return
        yield self._under(drawn.start, mark, fault)
        start = min(drawn.start, self._room - min(width(lead + message), _WIDE))
        for line in wrap(lead + message, self._room - start, " " * len(lead)):
            yield self._under(start, line, fault)

    def _under(self, start: int, text: str, fault: bool) -> str:
        severity = self.diagnostic.severity
        styled = self.style.severity(severity, text) if fault else self.style.step(text)
        return f"{self._gutter()} {' ' * start}{styled}"

    def _footer(self) -> Iterator[str]:
        d = self.diagnostic
        if d.help or d.fix is not None or d.verification is not None:
            yield self._gutter()
        if d.help:
            yield from self._remark("help", d.help)
        if d.fix is not None:
            yield from self._remark(_FIXES[d.fix.applicability], d.fix.title)
        if d.verification is not None:
            yield from self._remark("verdict", verdict_words(d.verification))
            fix = fix_words(d.verification)
            if fix:
                yield from self._remark("fix", fix)

    def _remark(self, label: str, text: str) -> Iterator[str]:
        """` = label: text`, its further lines below the first."""
        margin = " " * (self.margin + 1)
        indent = " " * len("= ")
        first, *rest = wrap(f"{label}: {text}", self._room, indent)
        lead, body = first[: len(label) + 1], first[len(label) + 1 :]
        yield f"{margin}{self.style.frame('=')} {self.style.strong(lead)}{body}"
        yield from (f"{margin}{line}" for line in rest)
