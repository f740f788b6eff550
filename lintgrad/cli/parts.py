"""The parts put together: where the commands get their rules and their engine from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lintgrad.catalog import Catalog
    from lintgrad.diagnostics import Fix, FixPlan
    from lintgrad.engine import Engine
    from lintgrad.source import SourceFile


def real_catalog() -> Catalog:
    """The rules that lintgrad ships."""
    from lintgrad.catalog import load

    return load()


def real_engine(catalog: Catalog) -> Engine:
    """The engine with the real machine."""
    from lintgrad.engine import Engine
    from lintgrad.engine.standard import StandardStages

    return Engine(catalog, StandardStages(resolve_fix))


def resolve_fix(source: SourceFile, plan: FixPlan) -> Fix | None:
    """The text edits of `plan`; the engine may not import what lies above it, so it is given this."""
    from lintgrad.fixes import resolve

    return resolve(source, plan)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a command works with; tests put their own in."""

    load_catalog: Callable[[], Catalog] = real_catalog
    make_engine: Callable[[Catalog], Engine] = real_engine
