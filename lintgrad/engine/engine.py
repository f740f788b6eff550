"""Lints one file: bytes and settings in, a `FileResult` out, nothing else touched.

Nothing that a file holds makes this raise. What cannot be parsed is a finding of its own
(`syntax-error`); what goes wrong inside lintgrad is a failure, named with its rule and file, and the
other rules and files go on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from lintgrad.catalog import SYNTAX_ERROR, UNUSED_SUPPRESSION, Catalog, Rule
from lintgrad.config import Settings
from lintgrad.diagnostics import Confidence, Diagnostic, Finding, Fix, FixPlan, Site, Span
from lintgrad.engine.failures import describe
from lintgrad.engine.findings import sites, to_diagnostic
from lintgrad.engine.gate import concerned, concerned_together, leads, may_suppress, may_suppress_ours
from lintgrad.engine.imported import Imported
from lintgrad.engine.merging import merge
from lintgrad.engine.result import Analysis, FileResult, Root, Seen, Stats
from lintgrad.engine.roots import with_roots
from lintgrad.engine.stages import Loaded, Stages, Tree, Trouble

if TYPE_CHECKING:
    from lintgrad.catalog.catalog import Check
    from lintgrad.machine import Run
    from lintgrad.program.nodes import Module
    from lintgrad.source import SourceFile

Found = tuple[Rule, Finding, frozenset[Root]]

TOO_DEEP = Trouble("the program is nested too deeply to be analysed")


class Engine:
    """A catalog with its checks loaded, and the stages to take files through."""

    def __init__(self, catalog: Catalog, stages: Stages) -> None:
        self.catalog = catalog
        self.stages = stages
        self._checks: dict[str, Check | str] = {}

    def check_source(
        self, path: str, data: bytes, settings: Settings, tree: Tree | None = None
    ) -> FileResult:
        """What `settings` show of the faults in the file `path` with the content `data`.

        With a `tree`, what the file imports from its project is read along.
        """
        return self.conclude({path: self.analyse(path, data, settings, tree)}, {path: settings})[path]

    def analyse(self, path: str, data: bytes, settings: Settings, tree: Tree | None = None) -> Analysis:
        """All that running the file shows, in it and in what it imports."""
        return _Work(self, path, data, settings, None if tree is None else Imported(tree)).analysis()

    def conclude(
        self, analyses: Mapping[str, Analysis], settings: Mapping[str, Settings]
    ) -> dict[str, FileResult]:
        """The results of the files that `settings` are for, by path, from the work on all of them."""
        return merge(self.catalog, analyses, settings)

    def unreadable(self, path: str, message: str, settings: Settings) -> Analysis:
        """What there is to say of a file whose bytes could not be had."""
        return _Work(self, path, b"", settings).broken(Trouble(message))

    def concerns(self, path: str, data: bytes, settings: Settings, tree: Tree | None = None) -> bool:
        """Whether a file of these bytes may have a finding or lead to one, so that it must be looked into."""
        rules = [rule for rule in self.catalog.rules if rule.code in settings.enabled]
        if concerned(data, rules):
            return True
        if UNUSED_SUPPRESSION in settings.enabled and may_suppress_ours(data):
            return True
        return tree is not None and leads(path, data, rules, tree)

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
    imported: Imported | None = None
    source: SourceFile | None = None
    stats: Stats = field(default_factory=Stats)
    failures: list[str] = field(default_factory=list)
    crashed: set[str] = field(default_factory=set)

    def analysis(self) -> Analysis:
        enabled = [rule for rule in self.engine.catalog.rules if rule.code in self.settings.enabled]
        with self.stats.timed("read"):
            rules = concerned(self.data, enabled)
            tree = None if self.imported is None else self.imported.tree
            leading = not rules and tree is not None and leads(self.path, self.data, enabled, tree)
            self.stats.gated = not rules and not leading
            if self.stats.gated and not self.engine.concerns(self.path, self.data, self.settings):
                return Analysis(self.path, stats=self.stats)
            source = self._read()
        if isinstance(source, Trouble):
            return self.broken(source) if rules else Analysis(self.path, stats=self.stats)
        seen = self._broken_parts(source) if rules else []
        run = self._run(source) if rules or leading else None
        if isinstance(run, Trouble):
            return self.broken(run) if rules else Analysis(self.path, stats=self.stats)
        if run is not None:
            findings = self._check([*rules, *self._concerned_elsewhere(rules, enabled)], run)
            with self.stats.timed("report"):
                seen += self._seen(source, findings)
        sources = self._sources(source, seen)
        return Analysis(
            self.path,
            tuple(seen),
            reached={} if self.imported is None or run is None else _reached(run),
            failures=tuple(self.failures),
            crashed=frozenset(self.crashed),
            texts={path: found.text for path, found in sources.items()},
            notebooks={path: found.notebook for path, found in sources.items() if found.notebook},
            stats=self.stats,
        )

    def broken(self, trouble: Trouble) -> Analysis:
        """What there is to say of a file that cannot be analysed: one finding that says why."""
        diagnostic = self._syntax_error(trouble)
        if diagnostic is None:
            return Analysis(self.path, failures=tuple(self.failures), stats=self.stats)
        text = self.data.decode("utf-8", errors="replace")
        return Analysis(
            self.path,
            broken=diagnostic,
            failures=tuple(self.failures),
            texts={self.path: text},
            stats=self.stats,
        )

    def _broken_parts(self, source: SourceFile) -> list[Seen]:
        """The cells of a notebook that are no Python; the others are looked at without them."""
        found = [self._syntax_error(Trouble.of(problem)) for problem in source.problems]
        return [Seen(diagnostic) for diagnostic in found if diagnostic is not None]

    def _syntax_error(self, trouble: Trouble) -> Diagnostic | None:
        """The finding for what cannot be parsed, unless the settings leave it out."""
        rule = self.engine.catalog.find(SYNTAX_ERROR)
        if rule is None or rule.code not in self.settings.enabled:
            return None
        return Diagnostic(
            path=self.path,
            span=trouble.span,
            code=rule.code,
            name=rule.name,
            severity=rule.severity,
            confidence=Confidence.CERTAIN,
            message=trouble.message,
        )

    def _concerned_elsewhere(self, rules: Sequence[Rule], enabled: Sequence[Rule]) -> list[Rule]:
        """Rules that do not concern the file alone but it and those that were read for it together."""
        if self.imported is None or not self.imported.loaded:
            return []
        contents = [self.data, *(loaded.data for loaded in self.imported.loaded.values())]
        known = {rule.code for rule in rules}
        return [rule for rule in concerned_together(contents, enabled) if rule.code not in known]

    def _read(self) -> SourceFile | Trouble:
        try:
            return self.engine.stages.read(self.path, self.data)
        except RecursionError:
            return TOO_DEEP

    def _run(self, source: SourceFile) -> Run | Trouble | None:
        """The machine's run of the file; None when lintgrad failed on it."""
        stages, timed = self.engine.stages, self.stats.timed
        try:
            program = self._program(source)
            if isinstance(program, Trouble):
                return program
            with timed("explore"):
                run = stages.explore(program, self.imported)
        except RecursionError:
            return TOO_DEEP
        except Exception as error:  # noqa: BLE001 - a fault of ours; the other files go on
            self.failures.append(f"{self.path}: {describe(error)}")
            self.crashed |= self.settings.enabled
            return None
        self.stats.exhausted = run.exhausted
        return run

    def _program(self, source: SourceFile) -> Module | Trouble:
        """The file's program; parsed and lowered here unless another file's work has done so."""
        stages, timed = self.engine.stages, self.stats.timed
        tree = None if self.imported is None else self.imported.tree
        known = None if tree is None else tree.known(self.path, self.data)
        if known is not None:
            self.source = known.source
            return known.program
        with timed("parse"):
            syntax = stages.parse(source)
        if isinstance(syntax, Trouble):
            return syntax
        with timed("lower"):
            program = stages.lower(self.path, syntax)
        if tree is not None:
            tree.keep(self.path, Loaded(self.data, source, program))
        return program

    def _check(self, rules: Sequence[Rule], run: Run) -> list[Found]:
        findings: list[Found] = []
        with self.stats.timed("check"):
            for rule in rules:
                findings += self._check_rule(rule, run)
        return findings

    def _check_rule(self, rule: Rule, run: Run) -> list[Found]:
        check = self.engine.check_of(rule)
        if isinstance(check, str):
            self.failures.append(check)
            self.crashed.add(rule.code)
            return []
        try:
            if self.imported is not None:
                return [(rule, finding, roots) for finding, roots in with_roots(run, check)]
            return [(rule, finding, frozenset()) for finding in check(run)]
        except Exception as error:  # noqa: BLE001 - a fault of the rule; the others go on
            self.failures.append(f"{self.path}: {rule.code} {rule.name}: {describe(error)}")
            self.crashed.add(rule.code)
            return []

    def _seen(self, source: SourceFile, findings: Sequence[Found]) -> list[Seen]:
        try:
            spans = self._spans(source, findings)
            return [
                Seen(
                    to_diagnostic(rule, finding, spans, partial(self._fix, source, finding.site.path)), roots
                )
                for rule, finding, roots in findings
                if not (rule.unused_results and self._is_shown(source, finding.site, spans))
            ]
        except Exception as error:  # noqa: BLE001 - a place that has no line is a fault of ours
            self.failures.append(f"{self.path}: {describe(error)}")
            self.crashed |= self.settings.enabled
            return []

    def _is_shown(self, source: SourceFile, site: Site, spans: Mapping[Site, Span]) -> bool:
        """Whether the value of the expression is what a notebook shows below a cell."""
        notebook = self._source_of(source, site.path).notebook
        return notebook is not None and notebook.cell(spans[site].line).shown == spans[site]

    def _spans(self, source: SourceFile, findings: Sequence[Found]) -> dict[Site, Span]:
        """Where the findings and the steps to them are, file by file."""
        by_path: dict[str, list[Site]] = {}
        for site in sites(finding for _, finding, _ in findings):
            by_path.setdefault(site.path, []).append(site)
        spans: dict[Site, Span] = {}
        for path, wanted in by_path.items():
            spans.update(self.engine.stages.spans(self._source_of(source, path), wanted))
        return spans

    def _source_of(self, source: SourceFile, path: str) -> SourceFile:
        """The file at `path`, which is the run's own or one that it imports."""
        if path == self.path:
            return self.source or source
        found = None if self.imported is None else self.imported.source(path)
        if found is None:
            raise LookupError(f"a place in {path}, which was not read")
        return found

    def _fix(self, source: SourceFile, path: str, plan: FixPlan) -> Fix | None:
        if any(action.site.path != path for action in plan.actions):
            return None  # a fix changes the file that its finding is in, and no other
        try:
            return self.engine.stages.resolve(self._source_of(source, path), plan)
        except Exception as error:  # noqa: BLE001 - the finding stands without its fix
            self.failures.append(f"{self.path}: fix {plan.title!r}: {describe(error)}")
            return None

    def _sources(self, source: SourceFile, seen: Sequence[Seen]) -> dict[str, SourceFile]:
        """The sources that reports and suppressions will be in need of."""
        paths = {path for one in seen for path in (one.diagnostic.path, *_note_paths(one.diagnostic))}
        if may_suppress(self.data):
            paths.add(self.path)
        return {path: self._source_of(source, path) for path in sorted(paths)}


def _note_paths(diagnostic: Diagnostic) -> list[str]:
    return [note.path for note in diagnostic.notes]


def _reached(run: Run) -> dict[Root, frozenset[Root]]:
    """The functions that ran from each root of the file."""
    origins = dict.fromkeys(trace.origin for trace in run.traces)
    return {(run.path, origin): run.reached.get(origin, frozenset()) for origin in origins}
