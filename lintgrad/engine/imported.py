"""The files that one file's run has asked for, held until its findings have got their places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintgrad.engine.stages import Loaded, Tree

if TYPE_CHECKING:
    from lintgrad.program.nodes import Module
    from lintgrad.source import SourceFile


@dataclass(slots=True)
class Imported:
    """`lintgrad.machine.tree.Tree` for one run: a site's origin is a node of the tree that is held here."""

    tree: Tree
    loaded: dict[str, Loaded] = field(default_factory=dict)

    def find(self, name: str, importer: str) -> str | None:
        """The path of the module `name` in the file `importer`."""
        return self.tree.find(name, importer)

    def program(self, path: str) -> Module | None:
        """The lowered file at `path`."""
        loaded = self.tree.load(path)
        if loaded is None:
            return None
        self.loaded[path] = loaded
        return loaded.program

    def source(self, path: str) -> SourceFile | None:
        """The file at `path`, if the run has asked for it."""
        loaded = self.loaded.get(path)
        return None if loaded is None else loaded.source
