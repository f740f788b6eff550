"""Which file an import means, as far as the files of a project tell.

Python asks `sys.path`, which only a run knows. Here the folders that a program is likely to be started
from take its place: of a script, its own folder; of a package's module, the folder around the outermost
package; then each folder outward to the project's root, and `src` and `lib` in each. The answer hangs on the
files that are there and on nothing else, so it is the same whichever files are linted, in whatever order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

INIT = "__init__.py"

ROOT_MARKS = frozenset({".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg", "lintgrad.toml"})
"""What the root of a project holds."""

WEAK_MARKS = ("readme", "license", "licence", "requirements", "environment.y")
"""Beginnings of names that the root of a project holds, and folders in it sometimes."""

WEAK_LEVELS = 4
SOURCE_FOLDERS = ("src", "lib")


_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([\w, \t]*)|import[ \t]+([\w., \t]+))", re.MULTILINE
)


def imported_names(data: bytes) -> Iterator[str]:
    """The modules that a file's lines may import, told without parsing it.

    `from a import b` may mean the module `a.b`, too.
    """
    for module, names, modules in _IMPORT.findall(data):
        if module:
            base = module.decode()
            yield base
            for name in names.decode().split(","):
                if name.strip():
                    yield f"{base}{'' if base.endswith('.') else '.'}{name.split()[0]}"
        for name in modules.decode().split(","):
            if name.strip():
                yield name.split()[0]


class Modules:
    """Finds the files of modules; what folders hold is read once."""

    def __init__(self) -> None:
        self._listed: dict[Path, tuple[frozenset[str], frozenset[str]]] = {}
        self._bases: dict[Path, tuple[Path, ...]] = {}

    def find(self, name: str, importer: Path) -> Path | None:
        """The file of the module `name`, leading dots as in an import, for the file `importer`.

        A folder without `__init__.py` that holds Python files counts as a package where no module of
        that name is found, as in Python; it is answered as if it had that file.
        """
        bare = name.lstrip(".")
        parts = bare.split(".") if bare else []
        level = len(name) - len(bare)
        if level:
            folder = importer.parent
            for _ in range(level - 1):
                folder = folder.parent
            return self._module(folder, parts) or self._namespace(folder, parts)
        bases = self._search(importer)
        for look in (self._module, self._namespace):
            for base in bases:
                found = look(base, parts)
                if found is not None and found != importer:
                    return found
        return None

    def _module(self, folder: Path, parts: list[str]) -> Path | None:
        """`folder/a/b.py` or `folder/a/b/__init__.py`; packages on the way need no `__init__.py`."""
        for part in parts[:-1]:
            if part not in self._entries(folder)[1]:
                return None
            folder = folder / part
        if parts:
            files, folders = self._entries(folder)
            package = folder / parts[-1]
            if parts[-1] in folders and INIT in self._entries(package)[0]:
                return package / INIT
            return folder / f"{parts[-1]}.py" if f"{parts[-1]}.py" in files else None
        return folder / INIT if INIT in self._entries(folder)[0] else None

    def _namespace(self, folder: Path, parts: list[str]) -> Path | None:
        for part in parts:
            if part not in self._entries(folder)[1]:
                return None
            folder = folder / part
        files, folders = self._entries(folder)
        inner = (files, *(self._entries(folder / one)[0] for one in sorted(folders)))
        holds = any(name.endswith(".py") for names in inner for name in names)
        return folder / INIT if holds else None

    def _search(self, importer: Path) -> tuple[Path, ...]:
        """The folders that stand for `sys.path`, in their order, each once."""
        folder = importer.parent
        known = self._bases.get(folder)
        if known is None:
            known = self._bases[folder] = tuple(dict.fromkeys(self._likely(folder)))
        return known

    def _likely(self, folder: Path) -> Iterator[Path]:
        root = self.root(folder)
        outward = [folder, *(one for one in folder.parents if one == root or root in one.parents)]
        top = next((one for one in outward if INIT not in self._entries(one)[0]), outward[-1])
        for one in outward[outward.index(top) :]:
            yield one
            yield from (one / name for name in SOURCE_FOLDERS if name in self._entries(one)[1])
        yield from outward[: outward.index(top)]

    def root(self, folder: Path) -> Path:
        """The root of the project that `folder` is in; the folder itself where nothing tells."""
        around = [folder, *folder.parents]
        for one in around:
            files, folders = self._entries(one)
            if not ROOT_MARKS.isdisjoint(files) or not ROOT_MARKS.isdisjoint(folders):
                return self._checkout(one)
        weak = [one for one in around[:WEAK_LEVELS] if self._is_weak(one)]
        package = next((one for one in around if INIT not in self._entries(one)[0]), folder)
        return min((package, *weak), key=lambda one: len(one.parts))

    def _checkout(self, folder: Path) -> Path:
        """The checkout that a project's folder is in; the folder itself where it is in none."""
        around = (folder, *folder.parents)
        return next((one for one in around if any(".git" in names for names in self._entries(one))), folder)

    def _is_weak(self, folder: Path) -> bool:
        return any(name.lower().startswith(WEAK_MARKS) for name in self._entries(folder)[0])

    def _entries(self, folder: Path) -> tuple[frozenset[str], frozenset[str]]:
        """The names of the files and of the folders in `folder`."""
        known = self._listed.get(folder)
        if known is None:
            files, folders = set[str](), set[str]()
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        (folders if entry.is_dir() else files).add(entry.name)
            except OSError:
                pass  # it holds nothing that could be read
            known = self._listed[folder] = frozenset(files), frozenset(folders)
        return known
