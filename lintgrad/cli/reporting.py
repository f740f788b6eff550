"""From a run's outcome to what is printed and the exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from lintgrad import __version__
from lintgrad.catalog import Catalog
from lintgrad.cli.output import wants_color
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


def render_outcome(session: Session, outcome: Outcome, catalog: Catalog) -> str:
    """The findings in the format that is asked for."""
    form = session.resolver.format(session.base)
    found = diagnostics(outcome)
    color = session.options.color
    if session.options.output_file is not None and color == "auto":
        color = "never"
    stream = sys.stderr if outcome.stdin is not None else sys.stdout
    report = Report(
        diagnostics=tuple(found),
        root=_repository(session.cwd),
        version=__version__,
        texts={path: text for result in outcome.results for path, text in result.texts.items()},
        notebooks={path: cells for result in outcome.results for path, cells in result.notebooks.items()},
        rules=_rules(catalog, found, whole=form == "sarif"),
        files_checked=len(outcome.results),
        fixed=outcome.fixed,
        suppressed=sum(result.suppressed for result in outcome.results),
        failures=tuple(failures(outcome)),
        color=wants_color(color, stream),
        cwd=session.cwd,
    )
    return render(form, report)


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
