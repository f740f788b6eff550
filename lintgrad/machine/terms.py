"""Tensors with a graph that are given a name, and what the text makes of that name."""

from __future__ import annotations

from collections.abc import Iterator
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
        known = m.program.fates[id(stmt)] = (stmt, "read" if shared else _fate(scope, stmt, target.id))
    m.record(
        Term(
            site=m.site(stmt),
            stack=m.stack,
            turn=m.turn,
            seq=m.tick(),
            name=target.id,
            tensor=value,
            tape=value.node,
            fate=known[1],
        )
    )


def _fate(scope: nodes.Block, stmt: nodes.Assign, name: str) -> Fate:
    """Whether what `stmt` binds is never read in its scope, or bound anew before it could be."""
    bound = {id(t) for one in scope for part in descend(one) for t in _targets(part)}
    names = [part for one in scope for part in descend(one) if isinstance(part, nodes.Name)]
    if not any(part.id == name and id(part) not in bound for part in names):
        return "unread"
    block = next((b for b in _blocks(scope) if any(one is stmt for one in b)), ())
    position = next((k for k, one in enumerate(block) if one is stmt), len(block))
    for later in block[position + 1 :]:
        mentions = [part for part in descend(later) if isinstance(part, nodes.Name) and part.id == name]
        if mentions:
            anew = isinstance(later, nodes.Assign) and [id(p) for p in mentions] == [id(later.targets[0])]
            return "overwritten" if anew else "read"
    return "read"


def _targets(part: nodes.Node) -> tuple[nodes.Expr, ...]:
    return part.targets if isinstance(part, nodes.Assign) else ()


def _blocks(scope: nodes.Block) -> Iterator[nodes.Block]:
    """`scope` and all blocks within it."""
    yield scope
    for one in scope:
        for part in descend(one):
            for name in ("body", "orelse", "final"):
                block = getattr(part, name, None)
                if isinstance(block, tuple) and block:
                    yield block
