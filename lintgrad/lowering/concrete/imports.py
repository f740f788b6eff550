"""Lowering of import statements."""

from __future__ import annotations

import libcst as cst

from lintgrad.lowering.concrete.dispatch import lowers_statement
from lintgrad.lowering.scopes import Scope
from lintgrad.program.nodes import Import, ImportFrom, Stmt


@lowers_statement(cst.Import)
def _import(scope: Scope, node: cst.Import) -> Stmt:
    names: list[tuple[str, str, bool]] = []
    for alias in node.names:
        module = _dotted(alias.name)
        bound = _bound(alias)
        scope.bound.add(bound)
        names.append((module, bound, alias.asname is not None))
    return Import(node, tuple(names))


@lowers_statement(cst.ImportFrom)
def _import_from(scope: Scope, node: cst.ImportFrom) -> Stmt:
    module = "" if node.module is None else _dotted(node.module)
    names: list[tuple[str, str]] = []
    if isinstance(node.names, cst.ImportStar):
        names.append(("*", "*"))
    else:
        for alias in node.names:
            bound = _bound(alias)
            scope.bound.add(bound)
            names.append((_dotted(alias.name), bound))
    return ImportFrom(node, module, len(node.relative), tuple(names))


def _bound(alias: cst.ImportAlias) -> str:
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return alias.asname.name.value
    return _dotted(alias.name).partition(".")[0]


def _dotted(node: cst.BaseExpression) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    assert isinstance(node, cst.Name)
    parts.append(node.value)
    return ".".join(reversed(parts))


if hasattr(cst, "LazyImport"):  # libcst 1.9 and later; the import's meaning is the same
    from lintgrad.lowering.concrete.dispatch import STATEMENTS

    STATEMENTS[cst.LazyImport] = STATEMENTS[cst.Import]
    STATEMENTS[cst.LazyImportFrom] = STATEMENTS[cst.ImportFrom]
