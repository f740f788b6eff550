"""Where a run may enter a file that does not stand alone: functions and loops around its findings."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from lintgrad.program import nodes
from lintgrad.verify.kinds import kinds
from lintgrad.verify.protocol import Entry

_MOST = 8
"""Entries to name for one file."""

_Def = ast.FunctionDef | ast.AsyncFunctionDef
_Loop = ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True)
class _Outer:
    """A function that lies in no other one: its qualified name and the names that it mentions."""

    name: str
    node: _Def
    mentions: frozenset[str]

    def holds(self, line: int) -> bool:
        return self.node.lineno <= line <= (self.node.end_lineno or 0)


def entries(
    text: str,
    lines: Iterable[int],
    module: nodes.Module,
    line_of: Mapping[nodes.FunctionDef, int],
) -> tuple[Entry, ...]:
    """The entries for findings at `lines` of the file `text`, the likeliest first, each once.

    A finding's own function comes first, then those that call it: a helper has its fault from how it is
    called. `line_of` says on which line each function of `module` has its `def`.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:  # this Python is older than the program
        return ()
    outer = list(_outer_functions(tree.body, ""))
    lowered = {line: function for function, line in line_of.items()}
    found: dict[tuple[str, int], Entry] = {}
    for name, line in _places(tree, outer, lines):
        function = lowered.get(line) if name else None
        uses = module.uses if function is None else function.uses
        found.setdefault((name, line), Entry(name, line, kinds(function, uses)))
    return tuple(found.values())[:_MOST]


def _places(tree: ast.Module, outer: list[_Outer], lines: Iterable[int]) -> Iterator[tuple[str, int]]:
    """Name and line of each entry."""
    for line in lines:
        own = next((function for function in outer if function.holds(line)), None)
        if own is None:
            loop = _loop_around(tree.body, line)
            if loop is not None:
                yield "", loop.lineno
            continue
        callers = _callers(own, outer)
        if not _trains(own):
            # Its callers know in which order things happen; a run of the helper alone would guess.
            yield from ((caller.name, caller.node.lineno) for caller in callers if _trains(caller))
        yield own.name, own.node.lineno
        yield from ((caller.name, caller.node.lineno) for caller in callers)


def _outer_functions(body: Iterable[ast.stmt], prefix: str) -> Iterator[_Outer]:
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield _Outer(prefix + statement.name, statement, _mentions(statement))
            case ast.ClassDef():
                yield from _outer_functions(statement.body, f"{prefix}{statement.name}.")
            case ast.If() | ast.Try() | ast.With():
                yield from _outer_functions(_inside(statement), prefix)
            case _:
                pass


def _inside(statement: ast.If | ast.Try | ast.With) -> list[ast.stmt]:
    body = list(statement.body)
    if not isinstance(statement, ast.With):
        body += statement.orelse
    if isinstance(statement, ast.Try):
        body += [inner for handler in statement.handlers for inner in handler.body] + statement.finalbody
    return body


def _mentions(function: _Def) -> frozenset[str]:
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return frozenset(names | {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)})


def _callers(own: _Outer, outer: list[_Outer]) -> list[_Outer]:
    """The functions that may call `own`, those that train first."""
    called = _called_as(own.name)
    found = [other for other in outer if other is not own and other.mentions & called]
    return sorted(found, key=lambda other: not _trains(other))


def _called_as(name: str) -> frozenset[str]:
    """The names by which a function is called: for some methods, that of the class, or of any model."""
    owner, _, own = name.rpartition(".")
    special = {"__init__": owner.rpartition(".")[2], "forward": owner.rpartition(".")[2]}
    return frozenset({own, special.get(own, own)})


def _trains(function: _Outer) -> bool:
    return bool(function.mentions & {"backward", "manual_backward"})


def _loop_around(body: Iterable[ast.stmt], line: int) -> _Loop | None:
    """The outermost loop at module level that holds `line`."""
    for statement in body:
        if not statement.lineno <= line <= (statement.end_lineno or 0):
            continue
        if isinstance(statement, _Loop):
            return statement
        if isinstance(statement, (ast.If, ast.Try, ast.With)):
            return _loop_around(_inside(statement), line)
    return None
