"""The steps that the engine takes a file through, as one object that tests can replace.

The real steps import libcst and the machine, which cost a quarter of a second; they do so when the
first file needs them, so that a run whose files are all gated out never pays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lintgrad.diagnostics import Fix, FixPlan, Site, Span

if TYPE_CHECKING:
    from lintgrad.machine import OutlineEntry, Run
    from lintgrad.machine.tree import Tree as MachineTree
    from lintgrad.program.nodes import Module
    from lintgrad.source import Problem, SourceFile

ResolveFix = Callable[["SourceFile", FixPlan], Fix | None]


START = Span(1, 1, 1, 1)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file's content, as text, and its program."""

    data: bytes
    source: SourceFile
    program: Module


class Tree(Protocol):
    """The project around a file, as the engine asks for it; paths are those of reports."""

    def find(self, name: str, importer: str) -> str | None:
        """The path of the module `name`, leading dots as in an import, for the file `importer`."""

    def load(self, path: str) -> Loaded | None:
        """The file at `path`; None where it cannot be had."""

    def known(self, path: str, data: bytes) -> Loaded | None:
        """The file as it was loaded before, if it had the content `data`."""

    def keep(self, path: str, loaded: Loaded) -> None:
        """Remember a file that the engine has loaded by itself."""

    def imports(self, path: str, data: bytes) -> Iterable[bytes]:
        """The contents of the files that the file at `path`, which holds `data`, may import by itself."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a file cannot be linted, and where in it."""

    message: str
    span: Span = START

    @classmethod
    def of(cls, problem: Problem) -> Trouble:
        """The trouble with a file that has `problem`."""
        line, column = problem.line, problem.column
        return cls(problem.message, Span(line, column, line, column))


class Stages(Protocol):
    """From bytes to a run of the machine, and back from places to lines."""

    def prepare(self) -> None:
        """Load all that the other steps import, so that forked processes share it."""

    def read(self, path: str, data: bytes) -> SourceFile | Trouble:
        """The file's text."""

    def parse(self, source: SourceFile) -> object:
        """The file's syntax tree, or a `Trouble`."""

    def lower(self, path: str, tree: object) -> Module:
        """The program in the tree."""

    def explore(self, program: Module, tree: MachineTree | None = None) -> Run:
        """What the machine saw when it ran the program, with what it imports from `tree`."""

    def outline(self, run: Run) -> Sequence[OutlineEntry]:
        """The run as people may read it."""

    def spans(self, source: SourceFile, sites: Iterable[Site]) -> Mapping[Site, Span]:
        """Where the places are."""

    def resolve(self, source: SourceFile, plan: FixPlan) -> Fix | None:
        """The text edits of a plan, where it can be carried out."""
