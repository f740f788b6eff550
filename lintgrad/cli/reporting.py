"""From a run's outcome to what is printed and the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from lintgrad import __version__
from lintgrad.catalog import Catalog
from lintgrad.cli.output import append_file, wants_color
from lintgrad.cli.session import Outcome, Session
from lintgrad.diagnostics import Diagnostic, Severity
from lintgrad.reporters import Report, RuleInfo, render


def diagnostics(outcome: Outcome) -> list[Diagnostic]:
    """All findings to show, sorted."""
    found = [diagnostic for result in outcome.results for diagnostic in result.diagnostics]
    return sorted(found, key=lambda diagnostic: diagnostic.sort_key)


def failures(outcome: Outcome) -> list[str]:
    """What lintgrad could not do, each once."""
    told = [failure for result in outcome.results for failure in result.failures]
    return list(dict.fromkeys([*told, *outcome.failures]))


def counts(found: Iterable[Diagnostic]) -> bool:
    """Whether one of the findings makes the exit code 1."""
    return any(diagnostic.severity is not Severity.INFO for diagnostic in found)


@dataclass(frozen=True, slots=True)
class Rendered:
    """Findings in a format, and the file they go to, which is empty for standard output."""

    file: str
    text: str


def render_outcome(session: Session, outcome: Outcome, catalog: Catalog) -> list[Rendered]:
    """The findings in each format that is asked for."""
    options = session.options
    targets = options.outputs or ((session.resolver.format(session.base), options.output_file or ""),)
    report = _report(session, outcome, catalog, whole=any(form == "sarif" for form, _ in targets))
    stream = sys.stderr if outcome.stdin is not None else sys.stdout
    rendered = []
    for form, file in targets:
        color = "never" if file and options.color == "auto" else options.color
        rendered.append(Rendered(file, render(form, replace(report, color=wants_color(color, stream)))))
        if form == "github":
            _summarize(report)
    return rendered


def _summarize(report: Report) -> None:
    """Tell what GitHub shows no annotation for in the summary of the job, where there is one."""
    from lintgrad.reporters.github import SHOWN, beyond
    from lintgrad.reporters.markdown import sections

    left = beyond(report)
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if left and file:
        title = f"lintgrad: findings without annotation (GitHub shows {SHOWN} of each type for a step)"
        append_file(file, sections(replace(report, diagnostics=left), title))


def _report(session: Session, outcome: Outcome, catalog: Catalog, *, whole: bool) -> Report:
    """All that formats show, with the rules' pages where it is to be whole."""
    found = diagnostics(outcome)
    return Report(
        diagnostics=tuple(found),
        root=_repository(session.cwd),
        version=__version__,
        texts={path: text for result in outcome.results for path, text in result.texts.items()},
        notebooks={path: cells for result in outcome.results for path, cells in result.notebooks.items()},
        rules=_rules(catalog, found, whole=whole),
        files_checked=len(outcome.results),
        fixed=outcome.fixed,
        suppressed=sum(result.suppressed for result in outcome.results),
        failures=tuple(failures(outcome)),
        cwd=session.cwd,
    )


def _rules(catalog: Catalog, found: Iterable[Diagnostic], *, whole: bool) -> dict[str, RuleInfo]:
    """What formats say of rules: all with their pages, or those with findings, in short."""
    codes = {diagnostic.code for diagnostic in found}
    return {
        rule.code: RuleInfo(
            code=rule.code,
            name=rule.name,
            summary=rule.summary,
            severity=rule.severity,
            category=rule.category,
            help_markdown=catalog.page(rule) if whole else "",
            tags=(rule.category,),
        )
        for rule in catalog.rules
        if whole or rule.code in codes
    }


def _repository(cwd: Path) -> Path:
    """The root of the repository around `cwd`, or `cwd` itself."""
    return next((folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists()), cwd)
