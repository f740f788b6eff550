"""Which findings are suppressed, and which suppressions serve no finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lintgrad.catalog import UNUSED_SUPPRESSION, Catalog, Rule
from lintgrad.diagnostics import Applicability, Confidence, Diagnostic, Edit, Fix, Span
from lintgrad.suppressions.directives import Directive, Item
from lintgrad.suppressions.lines import physical_lines

Use = tuple[Directive, Item]


def split(
    diagnostics: Iterable[Diagnostic], directives: Sequence[Directive], catalog: Catalog
) -> tuple[list[Diagnostic], frozenset[Use]]:
    """The diagnostics that no directive suppresses, and the items that suppressed one."""
    kept: list[Diagnostic] = []
    used: set[Use] = set()
    for diagnostic in diagnostics:
        covering = [d for d in directives if d.covers(diagnostic.span.line)]
        uses = {(d, i) for d in covering for i in d.items if diagnostic.code in catalog.expand(i.text)}
        used |= uses
        if not uses and not any(d.blanket for d in covering):
            kept.append(diagnostic)
    return kept, frozenset(used)


def unused(
    path: str,
    text: str,
    directives: Sequence[Directive],
    used: frozenset[Use],
    catalog: Catalog,
    enabled: frozenset[str],
) -> Iterator[Diagnostic]:
    """A diagnostic for each directive that names rules it does not suppress a finding of.

    `enabled` are the rules whose findings are known. A blanket `noqa` and other tools' codes are
    never unused: they may serve another tool.
    """
    rule = catalog.find(UNUSED_SUPPRESSION)
    if rule is None:
        return
    for directive in directives:
        items = directive.items
        idle = [i for i in items if (directive, i) not in used and _is_idle(directive, i, catalog, enabled)]
        if idle or (directive.kind == "ignore" and not items):
            yield _diagnostic(rule, path, text, directive, idle, catalog)


def _is_idle(directive: Directive, item: Item, catalog: Catalog, enabled: frozenset[str]) -> bool:
    """Whether `item` names our rules and could have suppressed a finding in this run."""
    codes = catalog.expand(item.text)
    if not codes:
        return directive.kind == "ignore" or _looks_like_ours(item.text)
    return bool(codes & enabled) and UNUSED_SUPPRESSION not in codes


def _looks_like_ours(code: str) -> bool:
    return code.upper().startswith("LG") and code[2:].isdigit()


def _diagnostic(
    rule: Rule, path: str, text: str, directive: Directive, idle: Sequence[Item], catalog: Catalog
) -> Diagnostic:
    return Diagnostic(
        path=path,
        span=directive.span,
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        confidence=Confidence.CERTAIN,
        message=_message(directive, idle, catalog),
        help="remove it",
        fix=Fix("remove the unused suppression", Applicability.SAFE, (_edit(text, directive, idle),)),
    )


def _message(directive: Directive, idle: Sequence[Item], catalog: Catalog) -> str:
    kind = "noqa" if directive.kind == "noqa" else "lintgrad: ignore"
    if not idle:
        return f"`{kind}` names no rule"
    unknown = [item.text for item in idle if not catalog.expand(item.text)]
    known = [item.text for item in idle if catalog.expand(item.text)]
    parts = [f"`{kind}` of {_listed(known)} suppresses nothing"] if known else []
    if unknown:
        parts.append(f"{_listed(unknown)} {'is no rule' if len(unknown) == 1 else 'are no rules'}")
    return "; ".join(parts)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _edit(text: str, directive: Directive, idle: Sequence[Item]) -> Edit:
    """The edit that takes the idle items out, or the directive where none is left."""
    left = [item.text for item in directive.items if item not in idle]
    if not left:
        return Edit(_whole(text, directive), "")
    line, column = directive.comment.line, directive.comment.column
    first, last = directive.items[0], directive.items[-1]
    return Edit(Span(line, column + first.start, line, column + last.end), ", ".join(left))


def _whole(text: str, directive: Directive) -> Span:
    """The directive with the blanks before it; the line too where nothing else stands on it."""
    line, column = directive.comment.line, directive.comment.column
    lines = physical_lines(text)
    before = lines[line - 1][: column - 1 + directive.start]
    begin = len(before.rstrip()) + 1
    is_end = directive.end == len(directive.comment.text)
    if is_end and begin == 1 and line < len(lines):
        return Span(line, 1, line + 1, 1)
    if is_end:
        return Span(line, begin, line, column + directive.end)
    # More of the comment follows: it takes the place, at the directive's own `#`.
    return Span(line, column + directive.start, line, column + directive.end)
