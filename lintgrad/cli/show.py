"""`lintgrad show`: what the machine understood of a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lintgrad.cli.parts import Parts

if TYPE_CHECKING:
    from lintgrad.diagnostics import Site, Span
    from lintgrad.engine import Stages, Trouble
    from lintgrad.machine import OutlineEntry


@click.command(name="show")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.pass_obj
def command(parts: Parts, file: str) -> int:
    """Print what lintgrad understands of a file: each path that it ran, and what it saw there.

    A line number stands before each event; indentation counts the loops around it.
    """
    from lintgrad.cli.output import say_error, write_out
    from lintgrad.engine import DeepThread, Trouble

    stages = parts.make_engine(parts.load_catalog()).stages
    data = Path(file).read_bytes()
    told = DeepThread().call(lambda: outline_of(stages, file, data))
    if isinstance(told, Trouble):
        say_error(f"{file}:{told.span.line}:{told.span.column}: {told.message}")
        return 2
    write_out(told)
    return 0


def outline_of(stages: Stages, path: str, data: bytes) -> str | Trouble:
    """The outline of the program in `data`, as it is printed."""
    from lintgrad.engine import Trouble

    source = stages.read(path, data)
    if isinstance(source, Trouble):
        return source
    tree = stages.parse(source)
    if isinstance(tree, Trouble):
        return tree
    entries = stages.outline(stages.explore(stages.lower(path, tree)))
    spans = stages.spans(source, [entry.site for entry in entries if entry.site is not None])
    lines = [_line(entry, spans) for entry in entries]
    return "".join(lines).removeprefix("\n") or "nothing that concerns gradients\n"


def _line(entry: OutlineEntry, spans: Mapping[Site, Span]) -> str:
    """A heading with an empty line before it, or an event with the number of its line."""
    if entry.site is None:
        return f"\n{entry.text}\n"
    return f"{spans[entry.site].line:>6}  {'  ' * entry.depth}{entry.text}\n"
