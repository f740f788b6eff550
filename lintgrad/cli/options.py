"""What `lintgrad check` and `lintgrad verify` are asked to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from lintgrad.catalog import Layer
from lintgrad.config import FORMATS, Config
from lintgrad.diagnostics import Confidence, Severity

Command = TypeVar("Command", bound=Callable[..., Any])

_SELECTOR = "code, prefix (LG1), name or ALL; several with commas"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `check` and `verify`, as the command line gives them."""

    paths: tuple[str, ...]
    select: tuple[str, ...] | None
    ignore: tuple[str, ...] | None
    extend_select: tuple[str, ...] | None
    confidence: str | None
    severity: str | None
    format: str | None
    output_file: str | None
    exit_zero: bool
    isolated: bool
    config: str | None
    exclude: tuple[str, ...] | None
    force_exclude: bool
    no_cache: bool
    statistics: bool
    fix: bool
    unsafe_fixes: bool
    diff: bool
    preview: bool | None
    jobs: int | None
    show_files: bool
    color: str
    stdin_filename: str | None
    verify: bool = False
    verified_only: bool = False
    python: str | None = None
    outputs: tuple[tuple[str, str], ...] = ()
    """Formats, each with the file that it goes to, which is empty for standard output."""
    lines: tuple[tuple[str, int], ...] = ()
    """Paths, as given, of which findings on that line alone are looked at."""

    @property
    def verifies(self) -> bool:
        """Whether findings are to be run on real torch."""
        return self.verify or self.verified_only

    def overrides(self, cwd: Path) -> Config:
        """What the command line says over any configuration file; patterns are relative to `cwd`."""
        return Config(
            root=cwd,
            layer=Layer(self.select, self.ignore or (), self.extend_select or ()),
            confidence=None if self.confidence is None else Confidence(self.confidence),
            severity=None if self.severity is None else Severity(self.severity),
            exclude=self.exclude or (),
            format=self.format,
            preview=self.preview,
        )


def _split(_: click.Context, __: click.Parameter, values: Sequence[str]) -> tuple[str, ...] | None:
    """The words of an option that may be repeated and hold several with commas; None without it."""
    if not values:
        return None
    return tuple(word for value in values for word in re.split(r"[,\s]+", value) if word)


def _patterns(_: click.Context, __: click.Parameter, values: Sequence[str]) -> tuple[str, ...] | None:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip()) or None


def _outputs(_: click.Context, __: click.Parameter, values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Each `FORMAT[:FILE]`; no two may go to the same place."""
    outputs = []
    for value in values:
        form, _colon, file = value.partition(":")
        if form not in FORMATS:
            raise click.BadParameter(f"{form!r} is not one of {', '.join(FORMATS)}")
        outputs.append((form, "" if file == "-" else file))
    places = [file for _, file in outputs]
    for place in places:
        if places.count(place) > 1:
            raise click.BadParameter(f"two formats cannot both go to {place or 'standard output'}")
    return tuple(outputs)


_OPTIONS = (
    click.argument("paths", nargs=-1, metavar="[PATH]...  (- for standard input)"),
    click.option(
        "--select", multiple=True, callback=_split, metavar="RULES", help=f"Run only these: {_SELECTOR}."
    ),
    click.option("--ignore", multiple=True, callback=_split, metavar="RULES", help="Leave these out."),
    click.option(
        "--extend-select", multiple=True, callback=_split, metavar="RULES", help="Run these as well."
    ),
    click.option(
        "--preview/--no-preview", default=None, help="Let rules be selected that are still on trial."
    ),
    click.option(
        "--confidence",
        type=click.Choice([c.value for c in Confidence]),
        help="Show findings that are at least so sure.  [default: likely]",
    ),
    click.option(
        "--severity",
        type=click.Choice([s.value for s in Severity]),
        help="Show findings that are at least so grave.  [default: info]",
    ),
    click.option("--format", type=click.Choice(FORMATS), help="How to show findings.  [default: text]"),
    click.option("--output-file", "-o", metavar="FILE", help="Write findings there, not to standard output."),
    click.option(
        "--output",
        "outputs",
        multiple=True,
        callback=_outputs,
        metavar="FORMAT[:FILE]",
        help="A format and the file it goes to; may be repeated. Without FILE: standard output.",
    ),
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colours; `auto` means on a terminal, unless NO_COLOR is set.",
    ),
    click.option("--statistics", is_flag=True, help="Print counts and times to standard error."),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found."),
    click.option("--fix", is_flag=True, help="Repair what has a safe fix."),
    click.option("--unsafe-fixes", is_flag=True, help="Take in fixes that may change what is trained."),
    click.option("--diff", is_flag=True, help="Print what --fix would change, and change nothing."),
    click.option(
        "--verify",
        is_flag=True,
        help="Run the code of each finding on real torch, in a sandbox, and say whether it is so.",
    ),
    click.option("--verified-only", is_flag=True, help="Verify, and show what is confirmed alone."),
    click.option("--python", metavar="FILE", help="The interpreter that has the torch to verify on."),
    click.option("--config", metavar="FILE", help="Use this configuration for all files."),
    click.option("--isolated", is_flag=True, help="Read no configuration files."),
    click.option(
        "--exclude",
        multiple=True,
        callback=_patterns,
        metavar="PATTERNS",
        help="Leave out files and folders that match, as in .gitignore.",
    ),
    click.option("--force-exclude", is_flag=True, help="Leave excluded files out even when they are named."),
    click.option("--stdin-filename", metavar="PATH", help="The path to go by when linting standard input."),
    click.option("--show-files", is_flag=True, help="Print which files would be linted, and stop."),
    click.option("--jobs", "-j", type=click.IntRange(min=1), metavar="N", help="How many processes to use."),
    click.option("--no-cache", is_flag=True, help="Lint all files anew. (Nothing is cached yet.)"),
)


def with_options(command: Command) -> Command:
    """`command` with all options of `check`, listed in the help in their order here."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
