"""LG211: a term with a graph is computed beside a loss, and no backward ever walks it."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, sure
from lintgrad.diagnostics import Confidence, Finding, Site
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import ancestors
from lintgrad.machine.observations import Backward
from lintgrad.machine.occasions import Term
from lintgrad.machine.turns import chain
from lintgrad.machine.values import Numel


def check(run: Run) -> Iterator[Finding]:
    """Report terms that are dropped on every path that computes them."""
    if any(trace.exhausted for trace in run.traces):
        return
    dropped: dict[Site, Finding | None] = {}
    for trace in run.traces:
        last = {id(term.tape): term for term in trace.of(Term)}
        for term in last.values():
            finding = _finding(trace, term)
            if term.site not in dropped or finding is None:
                dropped[term.site] = finding
    yield from (finding for finding in dropped.values() if finding is not None)


def _finding(trace: Trace, term: Term) -> Finding | None:
    tape = term.tape
    if tape is None or tape.used or tape.walked is not None or tape.unseen or not tape.grounded:
        return None
    walk = ancestors([tape])
    penalty = any(node.op == "grad" for node in walk.nodes)
    scalar = term.tensor is not None and term.tensor.numel is Numel.ONE
    if not penalty and (not scalar or term.fate == "read"):
        return None
    leaves = {id(leaf) for leaf in walk.leaves if leaf.is_parameter and leaf.requires_grad}
    beside = next((b for b in trace.of(Backward) if _is_beside(term, b, leaves)), None)
    if beside is None:
        return None
    why = "it is bound anew before it is used" if term.fate == "overwritten" else "nothing adds it to a loss"
    return Finding(
        term.site,
        f"`{term.name}` has a graph that no backward walks: this term of the loss is dropped",
        (
            PathStep(term.site, f"the term is computed here, and {why}"),
            PathStep(beside.site, f"{call_of(beside)} goes without it"),
        ),
        help="add it to the loss, or compute it under `torch.no_grad()` if it is only to be looked at",
        confidence=sure(trace, beside.confidence, Confidence.LIKELY),
    )


def _is_beside(term: Term, backward: Backward, leaves: set[int]) -> bool:
    """Whether a backward trains the same parameters, later in the same turn."""
    turns = {id(turn) for turn in chain(backward.turn)}
    near = term.turn is None or id(term.turn) in turns
    later = backward.kind == "backward" and backward.seq > term.seq
    return near and later and any(id(leaf) in leaves for leaf in backward.leaves)
