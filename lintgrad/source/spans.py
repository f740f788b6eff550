"""The lines and columns of the parts of a program, whichever tree they come from."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from lintgrad.diagnostics import Span
from lintgrad.source.files import Problem, SourceFile
from lintgrad.source.parsing import parse
from lintgrad.source.places import Places

if TYPE_CHECKING:
    import libcst as cst


def spans(source: SourceFile, origins: Iterable[object]) -> dict[int, Span]:
    """The span of each of `origins`, parts of `parse(source)`, by the origin's identity (`id`).

    A statement ends without its line end, a compound one behind the colon of its first line. ValueError
    where the file has no tree.
    """
    tree = parse(source)
    if isinstance(tree, Problem):
        raise ValueError(f"{source.path} has no syntax tree: {tree.message}")  # noqa: TRY004 - the argument has the type that it should have
    if isinstance(tree, ast.Module):
        places = Places(source)
        return {id(origin): source.lines.span(*places.header(origin)) for origin in origins}
    return concrete_spans(source, origins)


def concrete_spans(source: SourceFile, origins: Iterable[object]) -> dict[int, Span]:
    """As `spans`, for nodes of `concrete_tree(source)`."""
    from lintgrad.source.positions import positions

    found = positions(source)
    return {id(origin): source.lines.span(*found.header(cast("cst.CSTNode", origin))) for origin in origins}
