"""From syntax trees to the lowered program (`lintgrad.program.nodes`).

There are two kinds of trees, Python's own and libcst's, and a front end for each; from the same text both
make the same program, but for the origins of its nodes (docs/adr/0006-two-syntax-trees.md).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from lintgrad.lowering import abstract
from lintgrad.program.nodes import Module

if TYPE_CHECKING:
    import libcst

__all__ = ["lower"]


def lower(source_path: str, tree: ast.Module | libcst.Module) -> Module:
    """Lower the tree of the file at `source_path`, a path that is only noted.

    A statement that is nested deeper than the interpreter's recursion limit allows becomes an
    `UnknownStmt`.
    """
    if isinstance(tree, ast.Module):
        return abstract.lower(source_path, tree)
    from lintgrad.lowering import concrete

    return concrete.lower(source_path, tree)
