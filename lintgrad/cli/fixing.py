"""`--fix` and `--diff`: apply fixes until none is left to apply.

One fix may make room for another, and two may touch the same text, of which only the first is made; so a
file is linted anew after each round. A round whose result does not parse, or on which lintgrad fails, is
taken back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lintgrad.catalog import SYNTAX_ERROR
from lintgrad.config import Settings
from lintgrad.diagnostics import Applicability, Diagnostic, Fix, Span
from lintgrad.engine import FileResult

ROUNDS = 10


class Lints(Protocol):
    """What lints a file anew after a round of fixes."""

    def lint_bytes(self, shown: str, data: bytes, settings: Settings) -> FileResult:
        """The result for a file that holds `data`."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file after its fixes: the bytes, what is left to report, how many fixes were applied."""

    data: bytes
    result: FileResult
    count: int


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which fixes may be applied: `unsafe` ones as well, `verified` ones alone."""

    unsafe: bool = False
    verified: bool = False

    def fixes(self, result: FileResult) -> list[Fix]:
        """The fixes among the findings that may be applied."""
        return [d.fix for d in result.diagnostics if d.fix is not None and self._admits(d, d.fix)]

    def _admits(self, diagnostic: Diagnostic, fix: Fix) -> bool:
        if self.verified and (diagnostic.verification is None or diagnostic.verification.fix != "verified"):
            return False
        return fix.applicability is Applicability.SAFE or (
            self.unsafe and fix.applicability is Applicability.UNSAFE
        )


def fix_file(worker: Lints, data: bytes, result: FileResult, settings: Settings, allowed: Allowed) -> Fixed:
    """The file that holds `data` and has `result`, with all fixes applied that may be."""
    fixed = Fixed(data, result, 0)
    for _ in range(ROUNDS):
        step = _round(worker, fixed, settings, allowed.fixes(fixed.result))
        if step is None:
            return fixed
        fixed = step
    return fixed


def _round(worker: Lints, fixed: Fixed, settings: Settings, fixes: Sequence[Fix]) -> Fixed | None:
    """The file after one round of `fixes`, all together or the first that can be alone."""
    together = _disjoint(fixes)
    for chosen in (together, *([fix] for fix in fixes if len(together) > 1)):
        step = _apply(worker, fixed, settings, chosen)
        if step is not None:
            return step
    return None


def _disjoint(fixes: Sequence[Fix]) -> list[Fix]:
    """Those of `fixes`, from the first on, that touch nothing that one before them touches."""
    taken: list[Fix] = []
    for fix in fixes:
        if not any(_touch(edit.span, other.span) for edit in fix.edits for t in taken for other in t.edits):
            taken.append(fix)
    return taken


def _touch(one: Span, other: Span) -> bool:
    """Whether two spans share text, or are empty and in the same place."""
    (first_start, first_end), (second_start, second_end) = sorted(
        ((span.line, span.column), (span.end_line, span.end_column)) for span in (one, other)
    )
    return second_start < first_end or first_start == second_start == second_end


def _apply(worker: Lints, fixed: Fixed, settings: Settings, fixes: Sequence[Fix]) -> Fixed | None:
    """The file with `fixes` applied; None where that changes nothing or breaks the file."""
    if not fixes:
        return None
    from lintgrad.fixes import apply
    from lintgrad.source import SourceFile, from_bytes

    path = fixed.result.path
    source = from_bytes(path, fixed.data)
    if not isinstance(source, SourceFile):
        return None
    data = apply(source, fixes)
    if data is None or data == fixed.data:
        return None
    result = worker.lint_bytes(path, data, settings)
    broken = result.failures or any(d.code == SYNTAX_ERROR for d in result.diagnostics)
    return None if broken else Fixed(data, result, fixed.count + len(fixes))
