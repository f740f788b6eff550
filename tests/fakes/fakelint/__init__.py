"""A small linter to test the tool with: the engine's stages, and rules, over a language of marks.

A line `fault(LG101)` has that fault; words behind the code say more: `fault(LG101, likely, fix)`. The
words are a confidence, a severity, and `fix`, `unsafe` or `display` for a fix of that kind, which makes
it `fixed()`; `breaks` has one that breaks the file, `again` one that makes a new fault, `impossible` one
that cannot be carried out. `crash(LG101)` crashes the rule, `crash(lower)` and `deep(explore)` a stage,
`exhaust()` the budget, `die()` the process. `syntax error` cannot be parsed.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from lintgrad.catalog import Catalog, load
from lintgrad.diagnostics import (
    Applicability,
    Confidence,
    Edit,
    Finding,
    Fix,
    FixPlan,
    InsertAfter,
    Severity,
    Site,
    Span,
    Step,
)
from lintgrad.engine import Engine, Trouble
from lintgrad.engine import Stages as EngineStages
from lintgrad.machine.outline import OutlineEntry

FAULT = re.compile(r"fault\((LG\d+)((?:, \w+)*)\)")


@dataclass(frozen=True)
class Source:
    path: str
    text: str
    notebook: None = None
    problems: tuple[()] = ()

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


@dataclass(frozen=True)
class Run:
    source: Source
    exhausted: bool
    traces: tuple[object, ...] = ()
    reached: Mapping[int, frozenset[tuple[str, int]]] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return self.source.path


class Stages:
    """`lintgrad.engine.Stages` for the language of marks."""

    def prepare(self) -> None:
        """Nothing is imported late."""

    def read(self, path: str, data: bytes) -> Source | Trouble:
        try:
            return Source(path, data.decode().replace("\r\n", "\n"))
        except UnicodeDecodeError:
            return Trouble("not valid UTF-8")

    def parse(self, source: Source) -> Source | Trouble:
        for number, line in enumerate(source.lines, 1):
            if "syntax error" in line:
                return Trouble("it does not parse", Span(number, 1, number, 2))
        self._stumble("parse", source)
        return source

    def lower(self, path: str, tree: Source) -> Source:
        assert path == tree.path
        self._stumble("lower", tree)
        return tree

    def explore(self, program: Source, tree: object = None) -> Run:  # noqa: ARG002
        self._stumble("explore", program)
        if "die()" in program.text:
            os._exit(3)
        if "slow()" in program.text:
            time.sleep(0.05)
        return Run(program, "exhaust()" in program.text)

    def outline(self, run: Run) -> list[OutlineEntry]:
        path = run.source.path
        entries = [OutlineEntry(None, 0, "path", "<module>, path 1")]
        for number, line in enumerate(run.source.lines, 1):
            if "fault" in line:
                depth = len(line) - len(line.lstrip())
                entries.append(OutlineEntry(Site(path, (number, 1, 2)), depth, "fault", line.strip()))
        return entries if len(entries) > 1 else []

    def spans(self, source: Source, sites: Iterable[Site]) -> Mapping[Site, Span]:
        self._stumble("spans", source)
        return {site: _span(site) for site in sites}

    def resolve(self, source: Source, plan: FixPlan) -> Fix | None:
        self._stumble("resolve", source)
        if plan.title == "cannot be done":
            return None
        (action,) = plan.actions
        assert isinstance(action, InsertAfter)
        return Fix(plan.title, plan.applicability, (Edit(_span(action.site), action.text),))

    def _stumble(self, stage: str, source: Source) -> None:
        if f"crash({stage})" in source.text:
            raise ValueError(f"{stage} is broken")
        if f"deep({stage})" in source.text:
            raise RecursionError


def _span(site: Site) -> Span:
    match site.origin:
        case (int(line), int(column), int(end)):
            return Span(line, column, line, end)
    raise AssertionError(site)


def findings(code: str, run: Run) -> Iterator[Finding]:
    """The findings of the rule `code`."""
    if f"crash({code})" in run.source.text:
        raise ValueError("the rule is broken")
    for number, line in enumerate(run.source.lines, 1):
        for match in FAULT.finditer(line):
            if match[1] == code:
                yield _finding(run.source.path, number, match)


def _finding(path: str, line: int, match: re.Match[str]) -> Finding:
    words = set(re.findall(r"\w+", match[2]))
    site = Site(path, (line, match.start() + 1, match.end() + 1))
    confidences = [c for c in Confidence if c.value in words]
    severities = [s for s in Severity if s.value in words]
    return Finding(
        site,
        f"`{match[0]}` is a fault",
        steps=(Step(site, "here"),),
        confidence=confidences[0] if confidences else Confidence.CERTAIN,
        severity=severities[0] if severities else None,
        fix=_plan(site, words),
    )


def _plan(site: Site, words: set[str]) -> FixPlan | None:
    if "impossible" in words:
        return FixPlan("cannot be done", Applicability.SAFE, (InsertAfter(site, "x"),))
    kinds = {"fix": "safe", "breaks": "safe", "again": "safe", "unsafe": "unsafe", "display": "display"}
    kind = next((kinds[word] for word in sorted(words) if word in kinds), None)
    if kind is None:
        return None
    text = "fixed()"
    if "breaks" in words:
        text = "syntax error"
    if "again" in words:
        text = "fault(LG101, fix)"
    return FixPlan("repair it", Applicability(kind), (InsertAfter(site, text),))


def catalog() -> Catalog:
    return load(Path(__file__).parent / "rules", "fakelint.checks")


def engine(rules: Catalog) -> Engine:
    # The sources and runs of this language only pass through the engine.
    return Engine(rules, cast("EngineStages", Stages()))
