"""The files around a linted one, lowered when an import asks for them and kept for the next that does."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path

from lintgrad.engine import Loaded, Stages, Trouble
from lintgrad.project.modules import INIT, Modules, imported_names

KEPT_BYTES = 2_000_000
"""Of source whose trees are kept: some hundred times as much memory."""

FILE_LIMIT = 400_000
"""Bytes of a file from which on it is generated, or data, and no import is worth reading it."""

MAX_LOOKED_AT = 60
"""Files whose words are looked for on behalf of one that imports them."""


class ProjectTree:
    """What the engine asks of the project: see `lintgrad.engine.Tree`.

    `shown` maps the absolute paths of the run's files to their paths in reports; other files are shown
    relative to `cwd` where they lie in it.
    """

    def __init__(self, stages: Stages, shown: Mapping[Path, str], cwd: Path) -> None:
        self.shown = shown
        self._stages = stages
        self._cwd = cwd
        self._shown = dict(shown)
        self._located = {name: path for path, name in shown.items()}
        self._modules = Modules()
        self._kept: OrderedDict[str, Loaded] = OrderedDict()
        self._size = 0
        self._contents: dict[Path, bytes | None] = {}

    def find(self, name: str, importer: str) -> str | None:
        """The path, as reports show it, of the module `name` in the file `importer`."""
        found = self._modules.find(name, self._locate(importer))
        return None if found is None else self._show(found)

    def load(self, path: str) -> Loaded | None:
        """The file shown as `path`, lowered; None where it cannot be read, parsed or lowered."""
        data = self._read(path)
        if data is None:
            return None
        return self.known(path, data) or self._lower(path, data)

    def known(self, path: str, data: bytes) -> Loaded | None:
        """The file as it was lowered before, if it had the same content."""
        kept = self._kept.get(path)
        if kept is None or kept.data != data:
            return None
        self._kept.move_to_end(path)
        return kept

    def keep(self, path: str, loaded: Loaded) -> None:
        """Remember a lowered file; those that were not asked for longest are forgotten."""
        before = self._kept.pop(path, None)
        self._size += len(loaded.data) - (len(before.data) if before else 0)
        self._kept[path] = loaded
        while self._size > KEPT_BYTES and len(self._kept) > 1:
            _, old = self._kept.popitem(last=False)
            self._size -= len(old.data)

    def imports(self, path: str, data: bytes) -> Iterator[bytes]:
        """The contents of the files that the imports in `data` name, as far as its lines tell.

        What a package's `__init__.py` imports counts, too: it is there to hand it on.
        """
        seen = {self._locate(path)}
        pending = [(self._locate(path), data)]
        while pending:
            importer, content = pending.pop()
            for name in imported_names(content):
                found = self._modules.find(name, importer)
                if found is None or found in seen:
                    continue
                seen.add(found)
                other = self._content(found)
                if other is not None:
                    yield other
                    if found.name == INIT and len(seen) < MAX_LOOKED_AT:
                        pending.append((found, other))

    def _content(self, path: Path) -> bytes | None:
        """What the file holds, read once for all that import it."""
        if path not in self._contents:
            self._contents[path] = self._read(self._show(path))
        return self._contents[path]

    def _lower(self, path: str, data: bytes) -> Loaded | None:
        try:
            source = self._stages.read(path, data)
            tree = source if isinstance(source, Trouble) else self._stages.parse(source)
            if isinstance(source, Trouble) or isinstance(tree, Trouble):
                return None
            loaded = Loaded(data, source, self._stages.lower(path, tree))
        except Exception:  # noqa: BLE001 - it is told when the file itself is linted
            return None
        self.keep(path, loaded)
        return loaded

    def _read(self, path: str) -> bytes | None:
        try:
            with self._locate(path).open("rb") as file:
                data = file.read(FILE_LIMIT + 1)
        except OSError:
            return None
        return data if len(data) <= FILE_LIMIT else None

    def _locate(self, shown: str) -> Path:
        """The absolute path of a file by its path in reports."""
        located = self._located.get(shown)
        if located is None:
            located = self._located[shown] = Path(os.path.normpath(self._cwd / shown))
        return located

    def _show(self, path: Path) -> str:
        known = self._shown.get(path)
        if known is None:
            inside = path.is_relative_to(self._cwd)
            known = self._shown[path] = str(path.relative_to(self._cwd)) if inside else str(path)
            self._located[known] = path
        return known
