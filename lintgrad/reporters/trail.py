"""The path of a diagnostic as reports show it: its steps in order, its own place among them."""

from __future__ import annotations

from lintgrad.diagnostics import Diagnostic, PathNote


def trail(diagnostic: Diagnostic) -> tuple[PathNote, ...]:
    """The notes, and behind them the diagnostic's own place, without message, where no note is at it."""
    if any(_at(diagnostic, note) for note in diagnostic.notes):
        return diagnostic.notes
    return (*diagnostic.notes, PathNote(diagnostic.path, diagnostic.span, ""))


def fault_number(diagnostic: Diagnostic, steps: tuple[PathNote, ...]) -> int:
    """The 1-based number of the step of the diagnostic's trail that is the fault itself.

    A path may come through the place before things go wrong there, so it is the last step at it.
    """
    return max(number for number, step in enumerate(steps, start=1) if _at(diagnostic, step))


def _at(diagnostic: Diagnostic, step: PathNote) -> bool:
    return (step.path, step.span) == (diagnostic.path, diagnostic.span)
