"""Summands without a graph, as far as only linear operations stand between them and a loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.graph import Leaf, Node
from lintgrad.machine.turns import earlier
from lintgrad.machine.values import Numel, Tensor, Value

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
        lost = [t for t in tensors if t.tape is None and t.numel is Numel.ONE and _is_lost(m, t)]
        return tuple({id(t): t for t in [*lost, *(x for t in tensors for x in t.terms)]}.values())
    if name in SCALED and sum(t.tape is not None for t in tensors) == 1:
        carrying = [t for t in tensors if t.tape is not None]
        return carrying[0].terms
    return ()


def _is_lost(m: Machine, tensor: Tensor) -> bool:
    """Whether it has missed a graph that could have been part of this one: not that of an earlier turn."""
    if tensor.cut is not None:
        tape = tensor.cut.source.tape
        return tape is None or not _is_past(m, tape)
    return any(not any(_is_past(m, tape) for tape in one.tapes) for one in tensor.ungraphed)


def _is_past(m: Machine, tape: Node | Leaf) -> bool:
    return isinstance(tape, Node) and earlier(tape.turn, m.turn) is not None
