"""Which files a run is about.

A folder is walked: its Python files and notebooks count, but for what git ignores, what the configuration
excludes, and folders that hold no code of the project's own. A file that is named counts, whatever
its ending; with `force` the excludes hold for it, too. Links to folders are not followed, so no file
counts twice and no loop is walked; a link to a file counts unless that file does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lintgrad.config import Resolver
from lintgrad.project.ignores import Ignores

SUFFIXES = (".py", ".pyw", ".ipynb")

DEFAULT_EXCLUDES = frozenset(
    {
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
        ".lintgrad_cache",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "__pypackages__",
        "_build",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
    }
)
"""Names of folders that a walk does not enter."""


class MissingPathError(Exception):
    """A path that was named and is not there; `str()` says so."""


@dataclass(frozen=True, slots=True, order=True)
class LintFile:
    """A file to lint: its path as reports show it, and its absolute path."""

    shown: str
    path: Path


class Discovery:
    """Finds the files of a run; `force` makes excludes hold for named paths."""

    def __init__(self, resolver: Resolver, cwd: Path, *, force: bool = False) -> None:
        self._resolver = resolver
        self._cwd = cwd
        self._force = force

    def find(self, paths: Iterable[str]) -> list[LintFile]:
        """The files that `paths` name or hold, sorted, each once; raises `MissingPathError`."""
        found: dict[Path, LintFile] = {}
        links: dict[Path, LintFile] = {}
        for path in paths:
            for entry in self._entries(path):
                place = links if entry.is_symlink() else found
                place[entry] = LintFile(self._shown(entry, path), entry)
        real = {path.resolve() for path in found} if links else set()
        for link, file in sorted(links.items()):
            target = _target(link)
            if target not in real:
                real.add(target)
                found[link] = file
        return sorted(found.values())

    def _entries(self, path: str) -> Iterator[Path]:
        absolute = Path(os.path.normpath(self._cwd / path))
        if absolute.is_dir():
            if not (self._force and self.excluded(absolute, is_folder=True)):
                yield from self._walk(absolute, Ignores.above(absolute))
        elif not os.path.lexists(absolute):
            raise MissingPathError(f"{path}: no such file or folder")
        elif self._force and self.excluded(absolute, is_folder=False):
            return
        else:
            yield absolute

    def excluded(self, path: Path, *, is_folder: bool) -> bool:
        """Whether an exclude holds for `path` or a folder around it, as far out as the project."""
        root = self._project(path)
        between = [parent for parent in path.parents if parent != root and root in parent.parents]
        if any(parent.name in DEFAULT_EXCLUDES for parent in between):
            return True
        if is_folder and path.name in DEFAULT_EXCLUDES:
            return True
        return self._resolver.excluded(path, is_folder=is_folder)

    def _project(self, path: Path) -> Path:
        """The folder whose name no exclude is about: the configuration's, or the current one."""
        config = self._resolver.config(path.parent)
        if config.path is not None and config.root in path.parents:
            return config.root
        return self._cwd if self._cwd in path.parents else path.parent

    def _walk(self, folder: Path, outer: Ignores) -> Iterator[Path]:
        pending = [(folder, outer)]
        while pending:
            current, around = pending.pop()
            ignores = around.entering(current)
            entries = _scan(current)
            if current != folder and any(entry.name == "pyvenv.cfg" for entry in entries):
                continue  # a virtual environment, whatever its name
            for entry in entries:
                path = current / entry.name
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in DEFAULT_EXCLUDES and self._wanted(path, ignores, is_folder=True):
                        pending.append((path, ignores))
                elif _is_python(entry) and self._wanted(path, ignores, is_folder=False):
                    yield path

    def _wanted(self, path: Path, ignores: Ignores, *, is_folder: bool) -> bool:
        if ignores.ignored(path, is_folder=is_folder):
            return False
        return not self._resolver.excluded(path, is_folder=is_folder)

    def _shown(self, path: Path, given: str) -> str:
        """Relative to the current folder where it lies there or was given so, else absolute."""
        if path.is_relative_to(self._cwd):
            return str(path.relative_to(self._cwd))
        return str(path) if Path(given).is_absolute() else os.path.relpath(path, self._cwd)


def _target(link: Path) -> Path:
    """What `link` leads to; the link itself where it leads to itself."""
    try:
        return link.resolve()
    except (OSError, RuntimeError):
        return link


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    """The entries of `folder`; none where it may not be read or is gone."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_python(entry: os.DirEntry[str]) -> bool:
    """Whether `entry` is a Python file or a notebook, or a link to one; not a pipe, nor a link to nothing."""
    try:
        return entry.name.endswith(SUFFIXES) and entry.is_file()
    except OSError:
        return False
