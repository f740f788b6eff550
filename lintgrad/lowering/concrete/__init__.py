"""From libcst's trees to the lowered program: for programs that this Python cannot parse, and for fixes.

Only statements and expressions are walked, never whitespace. What has no meaning in the lowered
program becomes an `UnknownExpr` or `UnknownStmt`; no tree that libcst makes is refused.
"""

from __future__ import annotations

import libcst as cst

from lintgrad.lowering.concrete import (
    comprehensions,
    expressions,
    functions,
    imports,
    patterns,
    statements,
    strings,
)
from lintgrad.lowering.concrete.dispatch import statements as lower_statements
from lintgrad.lowering.scopes import Definitions, Scope
from lintgrad.program.nodes import Module

__all__ = ["lower"]

# Importing these fills the tables of `dispatch`.
_REGISTERED = (comprehensions, expressions, functions, imports, patterns, statements, strings)


def lower(source_path: str, tree: cst.Module) -> Module:
    """Lower the tree of the file at `source_path`, a path that is only noted.

    A statement that is nested deeper than the interpreter's recursion limit allows becomes an
    `UnknownStmt`.
    """
    definitions = Definitions()
    scope = Scope(definitions)
    body = lower_statements(scope, tree.body)
    return Module(
        source_path, body, scope.frozen_uses(), tuple(definitions.functions), tuple(definitions.classes)
    )
