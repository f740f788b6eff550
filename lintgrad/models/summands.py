"""Summands without a graph, as far as only linear operations stand between them and a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.graph import Node
from lintgrad.machine.turns import earlier
from lintgrad.machine.values import Cut, Numel, Tensor, Value

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

LINEAR = frozenset(
    """
    add sub rsub sum mean neg clone contiguous view reshape squeeze flatten to float double stack
    cat
    """.split()
)
SCALED = frozenset("mul div true_divide".split())


def terms(m: Machine, name: str, found: list[tuple[Value, Tensor | None]]) -> tuple[Tensor, ...]:
    """One-element summands whose graph was cut, as far as only linear operations stand between."""
    if name not in LINEAR and name not in SCALED:
        return ()
    tensors = [t for _, t in found if t is not None]
    if name in LINEAR:
        lost = [t for t in tensors if t.tape is None and t.numel is Numel.ONE and _is_lost(m, t.cut)]
        return tuple({id(t): t for t in [*lost, *(x for t in tensors for x in t.terms)]}.values())
    if name in SCALED and sum(t.tape is not None for t in tensors) == 1:
        carrying = [t for t in tensors if t.tape is not None]
        return carrying[0].terms
    return ()


def _is_lost(m: Machine, cut: Cut | None) -> bool:
    """Whether a graph was cut that could have been part of this one: not that of an earlier turn."""
    tape = cut.source.tape if cut is not None else None
    return cut is not None and not (isinstance(tape, Node) and earlier(tape.turn, m.turn) is not None)
