"""Lints one file: bytes and settings in, a `FileResult` out, nothing else touched.

Nothing that a file holds makes this raise. What cannot be parsed is a finding of its own
(`syntax-error`); what goes wrong inside lintgrad is a failure, named with its rule and file, and the
other rules and files go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintgrad.catalog import SYNTAX_ERROR, UNUSED_SUPPRESSION, Catalog, Rule
from lintgrad.config import Settings
from lintgrad.diagnostics import Confidence, Diagnostic, Finding, Fix, FixPlan
from lintgrad.engine.failures import describe
from lintgrad.engine.findings import sites, to_diagnostics
from lintgrad.engine.gate import concerned, may_suppress, may_suppress_ours
from lintgrad.engine.result import FileResult, Stats
from lintgrad.engine.stages import Stages, Trouble
from lintgrad.suppressions import read_directives, split, unused

if TYPE_CHECKING:
    from lintgrad.catalog.catalog import Check
    from lintgrad.machine import Run
    from lintgrad.source import SourceFile

TOO_DEEP = Trouble("the program is nested too deeply to be analysed")


class Engine:
    """A catalog with its checks loaded, and the stages to take files through."""

    def __init__(self, catalog: Catalog, stages: Stages) -> None:
        self.catalog = catalog
        self.stages = stages
        self._checks: dict[str, Check | str] = {}

    def check_source(self, path: str, data: bytes, settings: Settings) -> FileResult:
        """What `settings` show of the faults in the file `path` with the content `data`."""
        return _Work(self, path, data, settings).result()

    def unreadable(self, path: str, message: str, settings: Settings) -> FileResult:
        """The result for a file whose bytes could not be had."""
        return _Work(self, path, b"", settings).broken(Trouble(message))

    def concerns(self, data: bytes, settings: Settings) -> bool:
        """Whether a file of these bytes may have a finding, so that it must be looked into."""
        rules = [rule for rule in self.catalog.rules if rule.code in settings.enabled]
        if concerned(data, rules):
            return True
        return UNUSED_SUPPRESSION in settings.enabled and may_suppress_ours(data)

    def check_of(self, rule: Rule) -> Check | str:
        """The rule's check, loaded once, or why it could not be loaded."""
        if rule.code not in self._checks:
            try:
                check = self.catalog.load_check(rule)
            except Exception as error:  # noqa: BLE001 - whatever it is, the other rules go on
                self._checks[rule.code] = f"{rule.code} {rule.name}: {describe(error)}"
            else:
                self._checks[rule.code] = check or f"{rule.code} {rule.name}: no check to run"
        return self._checks[rule.code]


@dataclass(slots=True)
class _Work:
    """The work on one file."""

    engine: Engine
    path: str
    data: bytes
    settings: Settings
    stats: Stats = field(default_factory=Stats)
    failures: list[str] = field(default_factory=list[str])
    crashed: set[str] = field(default_factory=set[str])

    def result(self) -> FileResult:
        enabled = [rule for rule in self.engine.catalog.rules if rule.code in self.settings.enabled]
        with self.stats.timed("read"):
            rules = concerned(self.data, enabled)
            self.stats.gated = not rules
            if not rules and not self.engine.concerns(self.data, self.settings):
                return FileResult(self.path, stats=self.stats)
            source = self._read()
        if isinstance(source, Trouble):
            return self.broken(source) if rules else FileResult(self.path, stats=self.stats)
        findings: list[tuple[Rule, Finding]] = []
        if rules:
            run = self._run(source)
            if isinstance(run, Trouble):
                return self.broken(run)
            findings = [] if run is None else self._check(rules, run)
        with self.stats.timed("report"):
            return self._finish(source, findings)

    def broken(self, trouble: Trouble) -> FileResult:
        """The result for a file that cannot be analysed: one finding that says why."""
        rule = self.engine.catalog.find(SYNTAX_ERROR)
        if rule is None or rule.code not in self.settings.enabled:
            return FileResult(self.path, failures=tuple(self.failures), stats=self.stats)
        diagnostic = Diagnostic(
            path=self.path,
            span=trouble.span,
            code=rule.code,
            name=rule.name,
            severity=rule.severity,
            confidence=Confidence.CERTAIN,
            message=trouble.message,
        )
        return self._shown([diagnostic], 0, self.data.decode("utf-8", errors="replace"))

    def _read(self) -> SourceFile | Trouble:
        try:
            return self.engine.stages.read(self.path, self.data)
        except RecursionError:
            return TOO_DEEP

    def _run(self, source: SourceFile) -> Run | Trouble | None:
        """The machine's run of the file; None when lintgrad failed on it."""
        stages, timed = self.engine.stages, self.stats.timed
        try:
            with timed("parse"):
                tree = stages.parse(source)
            if isinstance(tree, Trouble):
                return tree
            with timed("lower"):
                program = stages.lower(self.path, tree)
            with timed("explore"):
                run = stages.explore(program)
        except RecursionError:
            return TOO_DEEP
        except Exception as error:  # noqa: BLE001 - a fault of ours; the other files go on
            self.failures.append(f"{self.path}: {describe(error)}")
            self.crashed |= self.settings.enabled
            return None
        self.stats.exhausted = run.exhausted
        return run

    def _check(self, rules: Sequence[Rule], run: Run) -> list[tuple[Rule, Finding]]:
        findings: list[tuple[Rule, Finding]] = []
        with self.stats.timed("check"):
            for rule in rules:
                findings += self._check_rule(rule, run)
        return findings

    def _check_rule(self, rule: Rule, run: Run) -> list[tuple[Rule, Finding]]:
        check = self.engine.check_of(rule)
        if isinstance(check, str):
            self.failures.append(check)
            self.crashed.add(rule.code)
            return []
        try:
            return [(rule, finding) for finding in check(run)]
        except Exception as error:  # noqa: BLE001 - a fault of the rule; the others go on
            self.failures.append(f"{self.path}: {rule.code} {rule.name}: {describe(error)}")
            self.crashed.add(rule.code)
            return []

    def _finish(self, source: SourceFile, findings: Sequence[tuple[Rule, Finding]]) -> FileResult:
        try:
            found = self._resolved(source, findings)
        except Exception as error:  # noqa: BLE001 - a place that has no line is a fault of ours
            self.failures.append(f"{self.path}: {describe(error)}")
            self.crashed |= self.settings.enabled
            found = []
        catalog = self.engine.catalog
        directives = read_directives(source.text) if may_suppress(self.data) else ()
        kept, used = split(found, directives, catalog)
        suppressed = len(found) - len(kept)
        if UNUSED_SUPPRESSION in self.settings.enabled and not self.stats.exhausted:
            # What is not known to have no finding is not unused.
            known = self.settings.enabled - self.crashed
            idle = list(unused(self.path, source.text, directives, used, catalog, known))
            kept += split(idle, directives, catalog)[0]
        return self._shown(kept, suppressed, source.text)

    def _resolved(self, source: SourceFile, findings: Sequence[tuple[Rule, Finding]]) -> list[Diagnostic]:
        if not findings:
            return []
        spans = self.engine.stages.spans(source, sites(finding for _, finding in findings))
        return to_diagnostics(findings, spans, lambda plan: self._fix(source, plan))

    def _fix(self, source: SourceFile, plan: FixPlan) -> Fix | None:
        try:
            return self.engine.stages.resolve(source, plan)
        except Exception as error:  # noqa: BLE001 - the finding stands without its fix
            self.failures.append(f"{self.path}: fix {plan.title!r}: {describe(error)}")
            return None

    def _shown(self, diagnostics: Sequence[Diagnostic], suppressed: int, text: str) -> FileResult:
        """The result with those diagnostics that are sure and grave enough."""
        shown = [
            d
            for d in diagnostics
            if d.confidence.rank <= self.settings.confidence.rank
            and d.severity.rank <= self.settings.severity.rank
        ]
        return FileResult(
            self.path,
            tuple(sorted(shown, key=lambda diagnostic: diagnostic.sort_key)),
            suppressed,
            tuple(self.failures),
            {self.path: text} if shown else {},
            self.stats,
        )
