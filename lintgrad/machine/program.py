"""The program of a file while it is explored, with what its paths learn of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.values import FileV, FunctionV
from lintgrad.program.effects import Effects

if TYPE_CHECKING:
    from lintgrad.diagnostics import Site
    from lintgrad.machine.definitions import Definitions
    from lintgrad.machine.occasions import Fate
    from lintgrad.machine.terms import ScopeIndex
    from lintgrad.machine.tree import Tree
    from lintgrad.program import nodes
    from lintgrad.program.improving import Keep

MAX_FILES = 40
"""Files of the tree that the run of one file reads at most."""


class Program:
    """What is known of a program before it runs, and what its paths learn for later ones.

    `tree` has the files that it may import; `found`, `files` and `modules` are what came of asking it.
    `entered` has the functions that the paths of each root ran which no budget cut short; `imported` counts
    the statements of other files that were run. `made` has each function without its decorators.
    """

    def __init__(self, module: nodes.Module, tree: Tree | None = None) -> None:
        self.module = module
        self.tree = tree
        self.reached: set[int] = set()
        self.entered: dict[int, set[int]] = {}
        self.base: Definitions | None = None
        self.sites: dict[int, tuple[nodes.Node, Site]] = {}
        self.fates: dict[int, tuple[nodes.Node, Fate]] = {}
        self.scopes: dict[int, ScopeIndex] = {}
        self.found: dict[tuple[str, str], str | None] = {}
        self.files: dict[str, FileV] = {}
        self.modules: dict[str, nodes.Module | None] = {module.path: module}
        self.kept: dict[int, tuple[nodes.If, tuple[Keep, ...]]] = {}
        self.made: dict[int, FunctionV] = {}
        self.imported = 0
        self._effects: dict[str, Effects] = {}

    def load(self, path: str) -> nodes.Module | None:
        """The file of the tree at `path`, lowered; None where it cannot be had, or too many were."""
        if path not in self.modules:
            full = self.tree is None or len(self.modules) >= MAX_FILES
            self.modules[path] = None if full or self.tree is None else self.tree.program(path)
        return self.modules[path]

    def effects_in(self, path: str) -> Effects:
        """What the code of the file at `path` could do."""
        known = self._effects.get(path)
        if known is None:
            known = self._effects[path] = Effects(self.modules.get(path) or self.module)
        return known

    @property
    def effects(self) -> Effects:
        """What the program's own code could do."""
        return self.effects_in(self.module.path)

    def number(self, function: nodes.FunctionDef | None) -> int:
        """The place of a function of the program among all of its file; -1 for the module's own code."""
        return -1 if function is None else self.module.functions.index(function)
