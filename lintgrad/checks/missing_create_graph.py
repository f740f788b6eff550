"""LG108: gradients without a graph are part of a loss."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, op_name, strongest, sure
from lintgrad.diagnostics import Confidence, Finding, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Leaf, Node, ancestors
from lintgrad.machine.observations import Backward
from lintgrad.machine.values import Cut

_MOVES = ("add", "sub", "add_", "sub_", "rsub", "addcmul", "addcdiv", "lerp")
"""Operations that move weights; a factor that is made of gradients is a weight of its own, and constant."""


def check(run: Run) -> Iterator[Finding]:
    """Report `autograd.grad` without create_graph whose result is a term of a loss or moves weights."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Backward):
        if event.kind != "backward":
            continue
        for term in event.constant_terms:
            if term.cut is not None and term.cut.how == "autograd.grad":
                yield _finding(trace, event, term.cut, "a term of the loss")
        for node in event.nodes:
            if node.lost is not None and _of_parameters(node):
                yield _finding(trace, event, node.lost, f"what `{op_name(node)}` makes of the parameters")


def _of_parameters(node: Node) -> bool:
    """Whether the other input hangs on parameters alone: weights that are moved, not data."""
    if node.op not in _MOVES:
        return False
    roots: list[Node | Leaf] = [node]
    leaves = ancestors(roots).leaves
    return bool(leaves) and all(leaf.is_parameter and not leaf.opaque for leaf in leaves)


def _finding(trace: Trace, event: Backward, cut: Cut, where: str) -> Finding:
    return Finding(
        cut.site,
        f"`autograd.grad` without `create_graph=True` gives constants: {where} trains nothing through them",
        (
            Step(cut.site, "these gradients have no graph"),
            Step(event.site, f"{call_of(event)} takes them for constants"),
        ),
        help="pass `create_graph=True`; where the first order is meant, say so with `.detach()`",
        confidence=sure(trace, event.confidence, Confidence.LIKELY),
    )
