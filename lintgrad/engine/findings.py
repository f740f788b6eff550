"""From findings to diagnostics: places become lines, plans become fixes, doubles become one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from lintgrad.catalog import Rule
from lintgrad.diagnostics import Diagnostic, Finding, Fix, FixPlan, PathNote, Site, Span

Resolve = Callable[[FixPlan], Fix | None]


def sites(findings: Iterable[Finding]) -> list[Site]:
    """All places that `findings` name, each once."""
    found: dict[Site, None] = {}
    for finding in findings:
        found[finding.site] = None
        found.update((step.site, None) for step in finding.steps)
    return list(found)


def to_diagnostic(rule: Rule, finding: Finding, spans: Mapping[Site, Span], resolve: Resolve) -> Diagnostic:
    """The finding as a diagnostic, its fix resolved."""
    fix = None if finding.fix is None else resolve(finding.fix)
    diagnostic = _diagnostic(rule, finding, spans)
    return diagnostic if fix is None else replace(diagnostic, fix=fix)


def one_a_line(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics, sorted, one for each file, rule and line."""
    best: dict[tuple[str, str, int], Diagnostic] = {}
    for diagnostic in diagnostics:
        key = (diagnostic.path, diagnostic.code, diagnostic.span.line)
        rival = best.get(key)
        if rival is None or _weight(diagnostic) < _weight(rival):
            best[key] = diagnostic
    return sorted(best.values(), key=lambda diagnostic: diagnostic.sort_key)


def _diagnostic(rule: Rule, finding: Finding, spans: Mapping[Site, Span]) -> Diagnostic:
    return Diagnostic(
        path=finding.site.path,
        span=spans[finding.site],
        code=rule.code,
        name=rule.name,
        severity=finding.severity or rule.severity,
        confidence=finding.confidence,
        message=finding.message,
        help=finding.help,
        notes=tuple(PathNote(step.site.path, spans[step.site], step.message) for step in finding.steps),
    )


def _weight(diagnostic: Diagnostic) -> tuple[object, ...]:
    """Which of two findings on a line to show: the surest of the gravest, with the shorter path.

    Everything that may differ takes part, so that the choice never hangs on the order.
    """
    return (
        diagnostic.severity.rank,
        diagnostic.confidence.rank,
        diagnostic.fix is None,
        diagnostic.span.column,
        len(diagnostic.notes),
        diagnostic.message,
        [(note.path, note.span.line, note.span.column, note.message) for note in diagnostic.notes],
        diagnostic.help,
    )
