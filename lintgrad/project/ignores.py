"""git's ignore rules for a walk: every `.gitignore` on the way and `.git/info/exclude`.

The rule nearest to a file decides; where it is silent, the next one outward. A folder that is
ignored is not entered, as in git.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lintgrad.config.patterns import compiled, is_pattern

if TYPE_CHECKING:
    from pathspec.pattern import Pattern

GITIGNORE = ".gitignore"


@dataclass(frozen=True, slots=True)
class _Line:
    """One pattern, compiled without the slash at its end, which makes it one for `folders` alone.

    A pattern without any other slash is about names, wherever they are (`by_name`).
    """

    pattern: Pattern
    folders: bool
    by_name: bool

    def matches(self, relative: str, *, is_folder: bool) -> bool:
        """Whether it matches the entry `relative` itself, not just a folder around it."""
        if self.folders and not is_folder:
            return False
        found = self.pattern.match_file(relative.rpartition("/")[2] if self.by_name else relative)
        # pathspec marks the slash behind a folder that was matched: that is one around the entry.
        return found is not None and found.match.groupdict().get("ps_d") is None


@dataclass(frozen=True, slots=True)
class _Rules:
    """The patterns of one file, relative to `base`, the last first."""

    base: Path
    lines: tuple[_Line, ...]

    def verdict(self, path: Path, *, is_folder: bool) -> bool | None:
        """True to ignore, False to take in again, None where no pattern matches.

        As in git, the last pattern that matches the entry itself decides. pathspec's own verdict is
        about a path alone, with no walk that has been through its folders, and differs for `!*/`.
        """
        relative = path.relative_to(self.base).as_posix()
        for line in self.lines:
            if line.matches(relative, is_folder=is_folder):
                return line.pattern.include
        return None


@dataclass(frozen=True, slots=True)
class Ignores:
    """The rules that hold in one folder, the nearest first."""

    rules: tuple[_Rules, ...] = ()

    @staticmethod
    def above(folder: Path) -> Ignores:
        """The rules that hold in `folder`, an absolute path, its own file not yet among them.

        Rules that ignore `folder` itself are left out: it was asked for.
        """
        parents = _up_to_repository(folder)
        ignores = Ignores()
        if parents:
            ignores = ignores._with_file(parents[-1], parents[-1] / ".git" / "info" / "exclude")
        for parent in reversed(parents):
            if parent == folder:
                continue
            ignores = ignores.entering(parent)
        return Ignores(tuple(r for r in ignores.rules if not _reaches(r, folder)))

    def entering(self, folder: Path) -> Ignores:
        """The rules that hold inside `folder`."""
        return self._with_file(folder, folder / GITIGNORE)

    def ignored(self, path: Path, *, is_folder: bool) -> bool:
        """Whether `path`, an entry of the folder whose rules these are, is ignored."""
        for rules in self.rules:
            verdict = rules.verdict(path, is_folder=is_folder)
            if verdict is not None:
                return verdict
        return False

    def _with_file(self, base: Path, path: Path) -> Ignores:
        try:
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return self  # there is none, or none to be read: git goes on, too
        lines = tuple(_compiled(text.splitlines()))
        return Ignores((_Rules(base, lines[::-1]), *self.rules)) if lines else self


def _compiled(lines: Iterable[str]) -> Iterator[_Line]:
    """The patterns in `lines`; what is none is passed over, as git does."""
    for line in lines:
        bare = line.rstrip().removesuffix("/")
        if is_pattern(bare):
            for pattern in compiled((bare,)).patterns:
                if pattern.include is not None:
                    yield _Line(pattern, folders=bare != line.rstrip(), by_name="/" not in bare)


def _up_to_repository(folder: Path) -> list[Path]:
    """`folder` and its parents up to the root of its repository; nothing outside of one."""
    found: list[Path] = []
    for parent in (folder, *folder.parents):
        found.append(parent)
        if (parent / ".git").exists():
            return found
    return []


def _reaches(rules: _Rules, folder: Path) -> bool:
    """Whether `rules` ignore `folder` or one of the folders around it."""
    between = [folder, *folder.parents]
    between = between[: between.index(rules.base)]
    return any(rules.verdict(path, is_folder=True) for path in between)
