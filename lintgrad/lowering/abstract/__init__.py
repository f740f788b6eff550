"""From Python's own syntax trees (`ast`) to the lowered program.

What has no meaning in the lowered program becomes an `UnknownExpr` or `UnknownStmt`; no tree that
Python makes is refused.
"""

from __future__ import annotations

import ast

from lintgrad.lowering.abstract import (
    comprehensions,
    expressions,
    functions,
    patterns,
    statements,
    strings,
)
from lintgrad.lowering.abstract.dispatch import block
from lintgrad.lowering.scopes import Definitions, Scope
from lintgrad.program.nodes import Module

__all__ = ["lower"]

# Importing these fills the tables of `dispatch`.
_REGISTERED = (comprehensions, expressions, functions, patterns, statements, strings)


def lower(source_path: str, tree: ast.Module) -> Module:
    """Lower the tree of the file at `source_path`, a path that is only noted."""
    definitions = Definitions()
    scope = Scope(definitions)
    body = block(scope, tree.body)
    return Module(
        source_path, body, scope.frozen_uses(), tuple(definitions.functions), tuple(definitions.classes)
    )
