"""The real stages: the syntax tree, the lowered program, the abstract machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lintgrad.diagnostics import Fix, FixPlan, Site, Span
from lintgrad.engine.stages import ResolveFix, Trouble

if TYPE_CHECKING:
    import ast

    from lintgrad.machine import OutlineEntry, Run
    from lintgrad.machine.tree import Tree
    from lintgrad.program.nodes import Module
    from lintgrad.source import SourceFile


@dataclass(frozen=True, slots=True)
class StandardStages:
    """`Stages` by the modules of this package; `resolve_fix` comes from the layer above."""

    resolve_fix: ResolveFix

    def prepare(self) -> None:
        """Load the front end, the machine and the models."""
        import lintgrad.lowering
        import lintgrad.machine
        import lintgrad.models.library
        import lintgrad.source  # noqa: F401 - loaded for what comes after

    def read(self, path: str, data: bytes) -> SourceFile | Trouble:
        """The file's text."""
        from lintgrad.source import Problem, from_bytes

        source = from_bytes(path, data)
        return Trouble.of(source) if isinstance(source, Problem) else source

    def parse(self, source: SourceFile) -> object:
        """The file's syntax tree, or a `Trouble`."""
        from lintgrad.source import Problem, parse

        tree = parse(source)
        return Trouble.of(tree) if isinstance(tree, Problem) else tree

    def lower(self, path: str, tree: object) -> Module:
        """The program in the tree."""
        from lintgrad.lowering import lower

        return lower(path, cast("ast.Module", tree))

    def explore(self, program: Module, tree: Tree | None = None) -> Run:
        """What the machine saw when it ran the program with the models of torch and the frameworks."""
        from lintgrad.machine import explore

        # Not `lintgrad.models.library`, which is a function until the module of that name is imported.
        from lintgrad.models.library import TorchLibrary

        return explore(program, TorchLibrary(), tree=tree)

    def outline(self, run: Run) -> Sequence[OutlineEntry]:
        """The run as people may read it."""
        from lintgrad.machine import outline

        return outline(run)

    def spans(self, source: SourceFile, sites: Iterable[Site]) -> Mapping[Site, Span]:
        """Where the places are."""
        from lintgrad.lowering.counterparts import spans

        wanted = list(sites)
        found = spans(source, [site.origin for site in wanted])
        return {site: found[id(site.origin)] for site in wanted}

    def resolve(self, source: SourceFile, plan: FixPlan) -> Fix | None:
        """The text edits of `plan`."""
        return self.resolve_fix(source, plan)
