"""`lintgrad rules`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lintgrad.catalog import Catalog, Rule
    from lintgrad.cli.parts import Parts


@click.command(name="rules")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
def command(parts: Parts, form: str) -> int:
    """List all rules with their codes, names, severities and summaries."""
    from lintgrad.cli.output import write_out

    catalog = parts.load_catalog()
    write_out(as_json(catalog) if form == "json" else as_text(catalog))
    return 0


def as_text(catalog: Catalog) -> str:
    """A line for each rule, in columns."""
    rows = [_columns(rule) for rule in catalog.rules]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join("  ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)


def as_json(catalog: Catalog) -> str:
    """A list of objects, one for each rule."""
    rules = [
        {
            "code": rule.code,
            "name": rule.name,
            "summary": rule.summary,
            "severity": rule.severity.value,
            "category": rule.category,
            "since": rule.since,
            "preview": rule.preview,
            "references": list(rule.references),
        }
        for rule in catalog.rules
    ]
    return json.dumps(rules, indent=2, ensure_ascii=False) + "\n"


def _columns(rule: Rule) -> tuple[str, str, str, str]:
    summary = f"{rule.summary} (preview)" if rule.preview else rule.summary
    return rule.code, rule.name, rule.severity.value, summary
