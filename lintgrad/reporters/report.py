"""What a run has to say, and the one door to saying it in a format.

A format is a module of this package with a function `render(report: Report) -> str`; its name stands
in `FORMATS`. Modules are imported when asked for, so that a plain run does not pay for SARIF.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from lintgrad.cells import Notebook
from lintgrad.diagnostics import Applicability, Diagnostic, Severity

FORMATS: Mapping[str, str] = {
    "text": "lintgrad.reporters.text",
    "concise": "lintgrad.reporters.concise",
    "json": "lintgrad.reporters.json_report",
    "jsonl": "lintgrad.reporters.json_lines",
    "sarif": "lintgrad.reporters.sarif",
    "github": "lintgrad.reporters.github",
    "gitlab": "lintgrad.reporters.gitlab",
    "junit": "lintgrad.reporters.junit",
    "rdjson": "lintgrad.reporters.rdjson",
    "sonar": "lintgrad.reporters.sonar",
    "markdown": "lintgrad.reporters.markdown",
}
"""Each format's name, and the module that renders it."""

BY_CELL = frozenset({"text", "concise", "json", "jsonl", "markdown"})
"""The formats that tell of a notebook's cells; the others are given the places in the file."""


class UnknownFormatError(KeyError):
    """A format that no module renders."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"unknown output format {self.name!r}; known are {', '.join(FORMATS)}"


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What reports say of a rule, whatever the finding."""

    code: str
    name: str
    summary: str
    severity: Severity
    category: str = ""
    help_markdown: str = ""
    uri: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All that a format may show of a run.

    `diagnostics` are sorted by `Diagnostic.sort_key`. `texts` maps the path of each file that a
    diagnostic or one of its notes lies in to its source text; a path without text is shown without
    excerpt. `rules` maps codes to rules. Paths are as the user gave them: relative ones start from
    `cwd` (from `root` where it is not given). `root` is the absolute folder, best the repository's,
    that formats for other programs make paths relative to. `fixed` and `suppressed` count findings
    that are not among the diagnostics; `failures` are the things that lintgrad itself could not do:
    formats for programs hold them, those for people leave them to the command line. `project_uri` is
    lintgrad's home, where it is known. `notebooks` has the cells of those files that are notebooks: their
    texts and spans are those of the program that the cells make, but for formats that know no cells, which
    find in `by_cell` the report as it was.
    """

    diagnostics: tuple[Diagnostic, ...]
    root: Path
    version: str
    texts: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, RuleInfo] = field(default_factory=dict)
    files_checked: int = 0
    fixed: int = 0
    suppressed: int = 0
    failures: tuple[str, ...] = ()
    color: bool = False
    cwd: Path | None = None
    project_uri: str = ""
    notebooks: Mapping[str, Notebook] = field(default_factory=dict)
    by_cell: Report | None = None

    def count(self, severity: Severity) -> int:
        """How many diagnostics have this severity."""
        return sum(d.severity is severity for d in self.diagnostics)

    def fixable(self, applicability: Applicability) -> int:
        """How many diagnostics have a fix that may be trusted so far."""
        return sum(d.fix is not None and d.fix.applicability is applicability for d in self.diagnostics)

    @property
    def files_with_findings(self) -> int:
        """How many files have a diagnostic."""
        return len({d.path for d in self.diagnostics})


def render(format: str, report: Report) -> str:  # noqa: A002 - the word users write: `--format`
    """`report` in the format called `format`, ready to be written: it ends with a line feed, or is empty.

    Raises `UnknownFormatError`, a `KeyError`, for a name that is not in `FORMATS`.
    """
    try:
        module = FORMATS[format]
    except KeyError:
        raise UnknownFormatError(format) from None
    renderer: Callable[[Report], str] = import_module(module).render
    if report.notebooks and format not in BY_CELL:
        from lintgrad.reporters.notebooks import by_file  # it builds on this module

        report = by_file(report)
    return renderer(report)
