"""What SARIF says of the rules that have results."""

from __future__ import annotations

from lintgrad.diagnostics import Confidence, Diagnostic, Severity
from lintgrad.reporters.jsonform import Json, JsonObject
from lintgrad.reporters.report import Report, RuleInfo
from lintgrad.reporters.sarif.prose import LEVELS, paragraph_under, sentence

_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
_PRECISIONS = {
    Confidence.CERTAIN: "very-high",
    Confidence.LIKELY: "high",
    Confidence.POSSIBLE: "medium",
}
_LONGEST = 1024
"""Characters that GitHub takes of a description."""
_MOST_TAGS = 10
"""Tags that GitHub keeps of a rule."""


def rules(report: Report) -> dict[str, JsonObject]:
    """The `reportingDescriptor` of each rule with results, by code and in the codes' order."""
    by_code: dict[str, list[Diagnostic]] = {}
    for diagnostic in sorted(report.diagnostics, key=lambda d: d.code):
        by_code.setdefault(diagnostic.code, []).append(diagnostic)
    return {
        code: _descriptor(report.rules.get(code) or _unlisted(found[0]), found)
        for code, found in by_code.items()
    }


def _unlisted(diagnostic: Diagnostic) -> RuleInfo:
    """What can be said of a rule by its finding alone."""
    summary = diagnostic.name.replace("-", " ")
    return RuleInfo(diagnostic.code, diagnostic.name, summary, diagnostic.severity)


def _descriptor(rule: RuleInfo, found: list[Diagnostic]) -> JsonObject:
    summary = sentence(rule.summary or rule.name)
    why = paragraph_under("Why", rule.help_markdown) or summary
    descriptor: dict[str, Json] = {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": summary[:_LONGEST]},
        "fullDescription": {"text": why[:_LONGEST]},
        "help": _help(rule, summary),
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": _properties(rule, found),
    }
    if rule.uri:
        descriptor["helpUri"] = rule.uri
    return descriptor


def _help(rule: RuleInfo, summary: str) -> JsonObject:
    """GitHub shows the Markdown and not `helpUri`, so the link stands in it, too."""
    link = f"\n\n[{rule.code}]({rule.uri})\n" if rule.uri else ""
    markdown = rule.help_markdown or summary
    return {"text": markdown, "markdown": f"{markdown.rstrip()}{link}"}


def _properties(rule: RuleInfo, found: list[Diagnostic]) -> JsonObject:
    """`precision` is that of the least sure result: code scanning knows it by rule only."""
    weakest = Confidence.weakest(*(d.confidence for d in found))
    tags = dict.fromkeys(tag for tag in (rule.category, *rule.tags) if tag)
    return {
        "tags": list(tags)[:_MOST_TAGS],
        "precision": _PRECISIONS[weakest],
        "problem.severity": _PROBLEMS[rule.severity],
    }
