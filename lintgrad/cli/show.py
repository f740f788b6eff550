"""`lintgrad show`: what the machine understood of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lintgrad.cli.parts import Parts

if TYPE_CHECKING:
    from lintgrad.cells import Notebook
    from lintgrad.diagnostics import Diagnostic, Site, Span
    from lintgrad.engine import Stages, Trouble
    from lintgrad.machine import OutlineEntry


@click.command(name="show")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--verify", is_flag=True, help="Print what real torch shows of each finding, too.")
@click.option("--python", metavar="FILE", help="The interpreter that has the torch to verify on.")
@click.pass_obj
def command(parts: Parts, file: str, python: str | None, *, verify: bool) -> int:
    """Print what lintgrad understands of a file: each path that it ran, and what it saw there.

    A line number stands before each event, behind the cell's in a notebook; indentation counts the
    loops around it.
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
    if verify:
        write_out(verdicts_of(parts, file, python))
    return 0


def verdicts_of(parts: Parts, file: str, python: str | None) -> str:
    """What running the file shows of its findings, a line for each and one for its fix."""
    from lintgrad.cli import verify
    from lintgrad.cli.options import Options
    from lintgrad.cli.output import current_folder
    from lintgrad.cli.reporting import diagnostics
    from lintgrad.cli.session import Session

    arguments = [file, *(["--python", python] if python else [])]
    options = Options(**{**verify.command.make_context("verify", arguments).params, "verify": True})
    session = Session(options, parts.make_engine(parts.load_catalog()), current_folder())
    try:
        found = diagnostics(session.lint_files())
    finally:
        session.close()
    return "\n" + ("".join(map(_verdict, found)) or "no findings to verify\n")


def _verdict(diagnostic: Diagnostic) -> str:
    from lintgrad.reporters.verdicts import fix_words, verdict_words

    verification = diagnostic.verification
    said = (
        "not verified: the rule says nothing of how it runs"
        if verification is None
        else verdict_words(verification)
    )
    fix = "" if verification is None else fix_words(verification)
    told = f"{diagnostic.span.line:>6}  {diagnostic.name} ({diagnostic.code}) {said}\n"
    return told + (f"        its fix is {fix}\n" if fix else "")


def outline_of(stages: Stages, path: str, data: bytes) -> str | Trouble:
    """The outline of the program in `data`, as it is printed, with what it runs of its project."""
    from lintgrad.engine import Imported, Trouble
    from lintgrad.project.tree import ProjectTree

    source = stages.read(path, data)
    if isinstance(source, Trouble):
        return source
    tree = stages.parse(source)
    if isinstance(tree, Trouble):
        return tree
    imported = Imported(ProjectTree(stages, {}, Path.cwd()))
    entries = stages.outline(stages.explore(stages.lower(path, tree), imported))
    numbers: dict[Site, str] = {}
    for one, sites in _by_path(entries).items():
        found = source if one == path else imported.source(one)
        if found is not None:
            spans = stages.spans(found, sites)
            numbers.update({site: _number(span, found.notebook) for site, span in spans.items()})
    lines = [_line(entry, numbers, path) for entry in entries]
    return "".join(lines).removeprefix("\n") or "nothing that concerns gradients\n"


def _by_path(entries: Iterable[OutlineEntry]) -> dict[str, list[Site]]:
    """The places in the outline, by their files."""
    places: dict[str, list[Site]] = {}
    for entry in entries:
        if entry.site is not None:
            places.setdefault(entry.site.path, []).append(entry.site)
    return places


def _number(span: Span, notebook: Notebook | None) -> str:
    """The line, with the cell before it in a notebook: `5:3`."""
    if notebook is None:
        return str(span.line)
    return f"{notebook.cell(span.line).number}:{notebook.inside(span).line}"


def _line(entry: OutlineEntry, numbers: Mapping[Site, str], path: str) -> str:
    """A heading with an empty line before it, or an event with its line, and its file if it is another."""
    if entry.site is None:
        return f"\n{entry.text}\n"
    elsewhere = "" if entry.site.path == path else f"  ({entry.site.path})"
    return f"{numbers.get(entry.site, ''):>6}  {'  ' * entry.depth}{entry.text}{elsewhere}\n"
