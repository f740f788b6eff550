"""What comes out of one file: plain data, fit to be sent between processes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lintgrad.diagnostics import Diagnostic

STAGES = ("read", "parse", "lower", "explore", "check", "report")
"""The stages of the work on one file, in their order."""


@dataclass(slots=True)
class Stats:
    """What a file cost: seconds by stage; whether it was gated out; whether a budget ran out."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    gated: bool = False
    exhausted: bool = False

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Count the time inside the `with` block to `stage`."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - begin


@dataclass(frozen=True, slots=True)
class FileResult:
    """The outcome for one file.

    `diagnostics` are those to show, sorted; `suppressed` counts those that a comment suppresses;
    `failures` say what lintgrad itself could not do; `texts` hold the source of a file with
    diagnostics, by its path, for excerpts.
    """

    path: str
    diagnostics: tuple[Diagnostic, ...] = ()
    suppressed: int = 0
    failures: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict[str, str])
    stats: Stats = field(default_factory=Stats)
