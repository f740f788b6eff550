"""From what the work on each file has seen to each file's result.

A fault is reported in the file in which it stands, once, whichever files' work has come upon it. The
settings and the suppressions of that file hold. Faults in files that are not of the run are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lintgrad.catalog import UNUSED_SUPPRESSION, Catalog
from lintgrad.cells import Notebook
from lintgrad.diagnostics import Diagnostic
from lintgrad.engine.findings import one_a_line
from lintgrad.engine.gate import may_suppress
from lintgrad.engine.result import Analysis, FileResult, Root
from lintgrad.engine.roots import needless
from lintgrad.suppressions import read_directives, split, unused

if TYPE_CHECKING:
    from lintgrad.config import Settings


def merge(
    catalog: Catalog, analyses: Mapping[str, Analysis], settings: Mapping[str, Settings]
) -> dict[str, FileResult]:
    """The results of the files that `settings` are for, by path."""
    dropped = needless(_reached(analyses.values()))
    seen: dict[str, list[Diagnostic]] = {path: [] for path in settings}
    sources = _Sources({}, {})
    for path in sorted(analyses):
        sources.add(analyses[path])
        for one in analyses[path].seen:
            alive = not one.roots or not one.roots <= dropped
            if alive and one.diagnostic.path in seen:
                seen[one.diagnostic.path].append(one.diagnostic)
    return {
        path: _Conclusion(catalog, analyses.get(path) or Analysis(path), settings[path], sources).result(
            found
        )
        for path, found in seen.items()
    }


def _reached(analyses: Iterable[Analysis]) -> dict[Root, frozenset[Root]]:
    return {root: found for analysis in analyses for root, found in analysis.reached.items()}


@dataclass(frozen=True, slots=True)
class _Sources:
    """What all analyses know of files: their texts, and the cells of notebooks."""

    texts: dict[str, str]
    notebooks: dict[str, Notebook]

    def add(self, analysis: Analysis) -> None:
        """Take in what an analysis knows."""
        self.texts.update(analysis.texts)
        self.notebooks.update(analysis.notebooks)


class _Conclusion:
    """The end of the work on one file."""

    def __init__(self, catalog: Catalog, analysis: Analysis, settings: Settings, sources: _Sources) -> None:
        self._catalog = catalog
        self._analysis = analysis
        self._settings = settings
        self._sources = sources

    def result(self, seen: Iterable[Diagnostic]) -> FileResult:
        """The result of the file, in which `seen` was found."""
        if self._analysis.broken is not None:
            return self._shown([self._analysis.broken], 0)
        found = one_a_line(d for d in seen if d.code in self._settings.enabled)
        text = self._sources.texts.get(self._analysis.path, "")
        if not text:
            return self._shown(found, 0)
        with self._analysis.stats.timed("report"):
            if not may_suppress(text.encode("utf-8", "surrogatepass")):
                return self._shown(found, 0)
            directives = read_directives(text)
            kept, used = split(found, directives, self._catalog)
            suppressed = len(found) - len(kept)
            if UNUSED_SUPPRESSION in self._settings.enabled and not self._analysis.stats.exhausted:
                # What is not known to have no finding is not unused.
                known = self._settings.enabled - self._analysis.crashed
                idle = list(unused(self._analysis.path, text, directives, used, self._catalog, known))
                kept += split(idle, directives, self._catalog)[0]
            return self._shown(kept, suppressed)

    def _shown(self, diagnostics: Iterable[Diagnostic], suppressed: int) -> FileResult:
        """The result with those diagnostics that are sure and grave enough."""
        shown = [
            d
            for d in diagnostics
            if d.confidence.rank <= self._settings.confidence.rank
            and d.severity.rank <= self._settings.severity.rank
        ]
        paths = dict.fromkeys(path for d in shown for path in (d.path, *(note.path for note in d.notes)))
        return FileResult(
            self._analysis.path,
            tuple(sorted(shown, key=lambda diagnostic: diagnostic.sort_key)),
            suppressed,
            self._analysis.failures,
            {path: self._sources.texts[path] for path in paths if path in self._sources.texts},
            {path: self._sources.notebooks[path] for path in paths if path in self._sources.notebooks},
            self._analysis.stats,
        )
