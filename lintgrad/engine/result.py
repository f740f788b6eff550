"""What comes out of one file: plain data, fit to be sent between processes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lintgrad.cells import Notebook
from lintgrad.diagnostics import Diagnostic

STAGES = ("read", "parse", "lower", "explore", "check", "report")
"""The stages of the work on one file, in their order."""


@dataclass(slots=True)
class Stats:
    """What a file cost: seconds by stage; whether it was gated out; whether a budget ran out."""

    seconds: dict[str, float] = field(default_factory=dict)
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


Root = tuple[str, int]
"""A function that code is run from: the file's path, and its number in the file; -1 is the file itself."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A fault that the work on one file has seen, in that file or in one that it imports.

    `roots` are those from which it is reached; none where that is not told apart.
    """

    diagnostic: Diagnostic
    roots: frozenset[Root] = frozenset()


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the work on one file brings to the results of all: plain data, fit to be sent around.

    `reached` has the functions that ran from each root of the file. `broken` is why the file could not
    be analysed, `crashed` the rules that failed on it. `texts` hold the source of the file, and of the
    others that `seen` is about, by their paths; `notebooks` are those among them that are some.
    """

    path: str
    seen: tuple[Seen, ...] = ()
    broken: Diagnostic | None = None
    reached: dict[Root, frozenset[Root]] = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    crashed: frozenset[str] = frozenset()
    texts: dict[str, str] = field(default_factory=dict)
    notebooks: dict[str, Notebook] = field(default_factory=dict)
    stats: Stats = field(default_factory=Stats)


@dataclass(frozen=True, slots=True)
class FileResult:
    """The outcome for one file.

    `diagnostics` are those to show, sorted; `suppressed` counts those that a comment suppresses;
    `failures` say what lintgrad itself could not do; `texts` hold the source of a file with
    diagnostics, by its path, for excerpts, `notebooks` the cells of such a file that is a notebook.
    """

    path: str
    diagnostics: tuple[Diagnostic, ...] = ()
    suppressed: int = 0
    failures: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    notebooks: dict[str, Notebook] = field(default_factory=dict)
    stats: Stats = field(default_factory=Stats)
