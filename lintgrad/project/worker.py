"""The work on one file in whatever process it is done: read it, and let the engine run deep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lintgrad.config import Settings
from lintgrad.engine import DeepThread, Engine, FileResult
from lintgrad.project.discovery import LintFile

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

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._deep: DeepThread | None = None

    def lint(self, job: Job) -> FileResult:
        """The result for the file of `job`, read anew."""
        file = job.file
        try:
            data = read(file.path)
        except OSError as error:  # it was there when it was found
            return self.engine.unreadable(file.shown, reason(error), job.settings)
        return self.lint_bytes(file.shown, data, job.settings)

    def lint_bytes(self, shown: str, data: bytes, settings: Settings) -> FileResult:
        """The result for a file that holds `data`."""
        if self._deep is None:
            self._deep = DeepThread()
        return self._deep.call(lambda: self.engine.check_source(shown, data, settings))


def read(path: Path) -> bytes:
    """The content of the file at `path`, as far as it matters; raises OSError."""
    with path.open("rb") as file:
        return file.read(READ_LIMIT)


def reason(error: OSError) -> str:
    """Why a file could not be read, for users."""
    return f"the file cannot be read: {(error.strerror or str(error)).lower()}"
