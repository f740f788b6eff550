"""LG102."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.diagnostics import Finding

from .. import Run, findings  # noqa: TID252 - the folder above is on no path for type checkers


def check(run: Run) -> Iterator[Finding]:
    return findings("LG102", run)
