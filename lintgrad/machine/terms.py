"""Tensors with a graph that are given a name, and what the text makes of that name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lintgrad.machine.occasions import Fate, Term
from lintgrad.machine.values import Numel, Tensor, Value
from lintgrad.program import nodes
from lintgrad.program.walk import descend

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def note(m: Machine, stmt: nodes.Assign, value: Value) -> None:
    """`name = value`: keep that a tensor with a graph got this name."""
    target = stmt.targets[0]
    if not isinstance(value, Tensor) or value.node is None or not isinstance(target, nodes.Name):
        return
    known = m.program.fates.get(id(stmt))
    if known is None:
        definition = m.frame.definition
        scope = definition.body if definition is not None else m.program.module.body
        # Only a number can be a loss's term by itself, and to look its name up takes time.
        shared = value.numel is not Numel.ONE or target.id in m.frame.globals | m.frame.nonlocals
        fate = "read" if shared else _fate(_index(m, scope), stmt, target.id)
        known = m.program.fates[id(stmt)] = (stmt, fate)
    m.record(
        Term(
            **m.here(stmt),
            name=target.id,
            tensor=value,
            tape=value.node,
            fate=known[1],
        )
    )


@dataclass(slots=True)
class ScopeIndex:
    """What a scope's text says of its names, found once: `read` are those that are ever read.

    `places` has each statement's block and its position there. The scope is kept with what it tells, so
    that no other gets its identity.
    """

    scope: nodes.Block
    read: frozenset[str]
    places: dict[int, tuple[nodes.Block, int]]


def _index(m: Machine, scope: nodes.Block) -> ScopeIndex:
    known = m.program.scopes.get(id(scope))
    if known is None:
        parts = [part for one in scope for part in descend(one)]
        bound = {id(target) for part in parts for target in _targets(part)}
        read = frozenset(p.id for p in parts if isinstance(p, nodes.Name) and id(p) not in bound)
        places = {id(one): (block, k) for block in _blocks(scope, parts) for k, one in enumerate(block)}
        known = m.program.scopes[id(scope)] = ScopeIndex(scope, read, places)
    return known


def _fate(index: ScopeIndex, stmt: nodes.Assign, name: str) -> Fate:
    """Whether what `stmt` binds is never read in its scope, or bound anew before it could be."""
    if name not in index.read:
        return "unread"
    block, position = index.places.get(id(stmt), ((), 0))
    for later in block[position + 1 :]:
        mentions = [part for part in descend(later) if isinstance(part, nodes.Name) and part.id == name]
        if mentions:
            anew = isinstance(later, nodes.Assign) and [id(p) for p in mentions] == [id(later.targets[0])]
            return "overwritten" if anew else "read"
    return "read"


def _targets(part: nodes.Node) -> tuple[nodes.Expr, ...]:
    return part.targets if isinstance(part, nodes.Assign) else ()


def _blocks(scope: nodes.Block, parts: Iterable[nodes.Node]) -> Iterator[nodes.Block]:
    """`scope` and all blocks within it."""
    yield scope
    for part in parts:
        for name in ("body", "orelse", "final"):
            block = getattr(part, name, None)
            if isinstance(block, tuple) and block:
                yield block
