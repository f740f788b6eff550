"""`lintgrad explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lintgrad.cli.parts import Parts


@click.command(name="explain")
@click.argument("rule", metavar="CODE|NAME")
@click.pass_obj
def command(parts: Parts, rule: str) -> int:
    """Print the page of a rule: why it is a fault, examples, and what the rule does not see."""
    from lintgrad.cli.output import write_out

    catalog = parts.load_catalog()
    found = catalog.find(rule)
    if found is None:
        nearest = catalog.nearest(rule)
        hint = f"; did you mean {nearest!r}?" if nearest else ""
        raise click.UsageError(f"unknown rule {rule!r}{hint}")
    write_out(catalog.page(found).rstrip("\n") + "\n")
    return 0
