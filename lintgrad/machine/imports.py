"""Imports: files of the linted tree, read when a name of theirs is asked for; else names of libraries.

What is neither a file of the tree nor a known library stays an unknown library's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.definitions import opened
from lintgrad.machine.frames import Environment
from lintgrad.machine.values import Deferred, FileV, LibV, ListV, Lit, Value

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


def run_import(m: Machine, stmt: nodes.Import) -> None:
    """`import a.b` binds `a`; `import a.b as c` binds the whole."""
    for module, bound, aliased in stmt.names:
        name = module if aliased else module.split(".", 1)[0]
        m.frame.bind(bound, _file(m, name, m.frame.path) or LibV(name))


def run_import_from(m: Machine, stmt: nodes.ImportFrom) -> None:
    """`from a import b as c`; a star import binds what the file has, or the library is known to export."""
    module = "." * stmt.level + stmt.module
    file = _file(m, module, m.frame.path)
    for name, bound in stmt.names:
        if name == "*":
            _star(m, module, file)
            continue
        full = f"{module}{'' if module.endswith('.') else '.'}{name}"
        value = m.library.imported(full) or LibV(full)
        m.frame.bind(bound, value if file is None else Deferred(file, name, value))


def settle(m: Machine, value: Deferred) -> Value:
    """The value that an imported name stands for on this path."""
    known = m.settled.get(value)
    if known is None:
        m.settled[value] = value.otherwise  # for a file that imports the name back from here
        known = m.settled[value] = _named(m, value.file, value.name) or value.otherwise
    return known


def member(m: Machine, file: FileV, name: str) -> Value:
    """`file.name`: what the file binds, else the module of that name in the package."""
    return _named(m, file, name) or LibV(f"{file.name}.{name}")


def store(m: Machine, file: FileV, name: str, value: Value) -> None:
    """`file.name = value`."""
    opened(m, file).names[name] = value


def _named(m: Machine, file: FileV, name: str) -> Value | None:
    found = opened(m, file).names.get(name)
    if isinstance(found, Deferred):
        # `from . import name` in a package binds the module that it names.
        itself = found.file is file and found.name == name
        found = None if itself else settle(m, found)
    if found is None and file.path.endswith("__init__.py"):
        return _file(m, f".{name}", file.path)
    return found


def _star(m: Machine, module: str, file: FileV | None) -> None:
    if file is None:
        for exported in m.library.exports(module):
            m.frame.bind(exported, LibV(f"{module}.{exported}"))
        return
    names = opened(m, file).names
    for name in _exported(names):
        m.frame.bind(name, Deferred(file, name, LibV(f"{module}.{name}")))


def _exported(names: dict[str, Value]) -> list[str]:
    listed = names.get("__all__")
    if isinstance(listed, ListV) and listed.exact:
        texts = [item.value for item in listed.items if isinstance(item, Lit)]
        return [text for text in texts if isinstance(text, str)]
    return [name for name in names if not name.startswith("_")]


def _file(m: Machine, name: str, importer: str) -> FileV | None:
    """The file of the tree that `name` is in the file `importer`; None for a library."""
    program = m.program
    if program.tree is None or m.library.owns(name):
        return None
    key = (name, importer)
    if key not in program.found:
        program.found[key] = program.tree.find(name, importer)
    path = program.found[key]
    if path is None:
        return None
    if path not in program.files:
        program.files[path] = FileV(path, name, Environment({}, None))
    return program.files[path]
