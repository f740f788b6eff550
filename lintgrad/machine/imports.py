"""Imports: names of libraries; what is not a known library stays an unknown library's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.values import LibV

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


def run_import(m: Machine, stmt: nodes.Import) -> None:
    """`import a.b` binds `a`; `import a.b as c` binds the whole."""
    for module, bound, aliased in stmt.names:
        m.frame.bind(bound, LibV(module if aliased else module.split(".", 1)[0]))


def run_import_from(m: Machine, stmt: nodes.ImportFrom) -> None:
    """`from a import b as c`; a star import binds what the library is known to export."""
    module = "." * stmt.level + stmt.module
    for name, bound in stmt.names:
        if name == "*":
            for exported in m.library.exports(module):
                m.frame.bind(exported, LibV(f"{module}.{exported}"))
        else:
            m.frame.bind(bound, m.library.imported(f"{module}.{name}") or LibV(f"{module}.{name}"))
