"""A run of `lintgrad check` or `lintgrad verify`, from options to an exit code."""

from __future__ import annotations

import time

import click

from lintgrad.catalog import Catalog, UnknownSelectorError, check_selectors, hidden_previews
from lintgrad.cli import CLEAN, FINDINGS, TROUBLE
from lintgrad.cli.options import Options
from lintgrad.cli.output import (
    current_folder,
    read_in,
    say,
    say_error,
    say_warning,
    write_file,
    write_out,
)
from lintgrad.cli.parts import Parts
from lintgrad.cli.reporting import Rendered, counts, diagnostics, failures, render_outcome
from lintgrad.cli.session import Outcome, Session
from lintgrad.cli.statistics import statistics
from lintgrad.config import is_pattern


def run(options: Options, parts: Parts) -> int:
    """Do what `options` ask for and return the exit code."""
    begin = time.perf_counter()
    catalog = parts.load_catalog()
    _check_usage(options, catalog)
    session = Session(options, parts.make_engine(catalog), current_folder())
    _warn_of_previews(session, catalog)
    if options.show_files:
        write_out("".join(f"{file.shown}\n" for file in session.files()))
        return CLEAN
    try:
        outcome = session.lint_stdin(read_in()) if "-" in options.paths else session.lint_files()
    finally:
        session.close()
    _print(session, outcome, catalog)
    if options.statistics:
        seconds = {"total": time.perf_counter() - begin, "gate": session.runner.gate_seconds}
        say(statistics(outcome.results, seconds))
    return _exit_code(options, outcome)


def _check_usage(options: Options, catalog: Catalog) -> None:
    """Raise a `UsageError` for options that contradict each other or name no rule."""
    if "-" in options.paths and len(options.paths) > 1:
        raise click.UsageError("standard input (-) cannot be linted together with other paths")
    if "-" in options.paths and options.show_files:
        raise click.UsageError("--show-files is about files, not standard input (-)")
    if options.outputs and (options.format, options.output_file) != (None, None):
        raise click.UsageError("--output has its own formats and files: leave out --format and --output-file")
    if options.outputs and options.diff:
        raise click.UsageError("--diff prints what would change, in no --output")
    if options.isolated and options.config is not None:
        raise click.UsageError("--isolated and --config exclude each other")
    for pattern in options.exclude or ():
        if not is_pattern(pattern):
            raise click.UsageError(f"{pattern!r} is no pattern as in .gitignore")
    layer = options.overrides(current_folder()).layer
    if layer.select == ():
        raise click.UsageError("--select names no rule")
    try:
        check_selectors(catalog, (*(layer.select or ()), *layer.ignore, *layer.extend_select))
    except UnknownSelectorError as error:
        raise click.UsageError(str(error)) from None


def _warn_of_previews(session: Session, catalog: Catalog) -> None:
    """Say which rules were asked for by name and stay off."""
    preview = session.options.preview
    if preview is None:
        preview = session.resolver.config(session.base).preview
    if not preview:
        for code in hidden_previews(catalog, [session.overrides.layer]):
            say_warning(f"{code} is on trial and off without --preview")


def _print(session: Session, outcome: Outcome, catalog: Catalog) -> None:
    """Print the diff, or the findings; what standard input became comes first."""
    options = session.options
    for failure in failures(outcome):
        say_error(failure)
    if options.diff:
        texts = [Rendered(options.output_file or "", outcome.diff)]
    else:
        texts = render_outcome(session, outcome, catalog)
    for rendered in texts:
        if rendered.file:
            write_file(rendered.file, rendered.text)
    text = "".join(rendered.text for rendered in texts if not rendered.file)
    if outcome.stdin is not None and not options.diff:
        write_out(outcome.stdin)
        click.echo(text, nl=False, err=True, color=True)
    else:
        write_out(text)


def _exit_code(options: Options, outcome: Outcome) -> int:
    if failures(outcome):
        return TROUBLE
    if options.exit_zero:
        return CLEAN
    found = bool(outcome.diff) if options.diff else counts(diagnostics(outcome))
    return FINDINGS if found else CLEAN
