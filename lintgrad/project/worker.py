"""The work on one file in whatever process it is done: read it, and let the engine run deep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from lintgrad.config import Settings
from lintgrad.engine import Analysis, DeepThread, Engine, FileResult
from lintgrad.project.discovery import LintFile
from lintgrad.project.tree import ProjectTree

T = TypeVar("T")

READ_LIMIT = 64_000_000
"""Far more than a file may have that is linted: a device may have no end."""

Progress = Callable[[int, int], None]
"""Told how many files are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Job:
    """A file to lint, the settings for it, and its size in bytes."""

    file: LintFile
    settings: Settings
    size: int = 0


class Worker:
    """An engine and the thread that it runs in, which is started when the first file needs it."""

    def __init__(self, engine: Engine, shown: Mapping[Path, str] | None = None) -> None:
        self.engine = engine
        self._deep: DeepThread | None = None
        self.tree = ProjectTree(engine.stages, shown or {}, Path.cwd())

    def names(self, shown: Mapping[Path, str]) -> None:
        """Let reports show the files of a run by these names, in what files import too."""
        self.tree = ProjectTree(self.engine.stages, shown, Path.cwd())

    def lint(self, job: Job) -> Analysis:
        """What the file of `job`, read anew, shows."""
        file = job.file
        try:
            data = read(file.path)
        except OSError as error:  # it was there when it was found
            return self.engine.unreadable(file.shown, reason(error), job.settings)
        return self._run(lambda: self.engine.analyse(file.shown, data, job.settings, self.tree))

    def lint_bytes(self, shown: str, data: bytes, settings: Settings) -> FileResult:
        """The result for a file that holds `data`."""
        return self._run(lambda: self.engine.check_source(shown, data, settings, self.tree))

    def _run(self, function: Callable[[], T]) -> T:
        if self._deep is None:
            self._deep = DeepThread()
        return self._deep.call(function)


def read(path: Path) -> bytes:
    """The content of the file at `path`, as far as it matters; raises OSError."""
    with path.open("rb") as file:
        return file.read(READ_LIMIT)


def reason(error: OSError) -> str:
    """Why a file could not be read, for users."""
    return f"the file cannot be read: {(error.strerror or str(error)).lower()}"
