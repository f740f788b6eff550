"""Graphs of gradients: made for nothing, or missing where a loss is made of the gradients."""

from __future__ import annotations

import math

from lintgrad.verify.child.changes import Changes, lines_of
from lintgrad.verify.child.oracles.case import (
    Case,
    Judgement,
    at,
    confirmed,
    in_step,
    inconclusive,
    plural,
    refuted,
    times,
    unreached,
)
from lintgrad.verify.child.record import Walk

_NEAR = 1e-4
"""Of two sums of gradients: by how much of their size they may differ and be the same."""


def created(case: Case) -> Judgement:
    """A backward makes a graph of the gradients, and no later one runs any of what it kept."""
    walks = [walk for walk in case.here(case.record.walks) if not walk.error]
    making = [walk for walk in walks if walk.creates]
    if not making and walks and case.ran_on():
        return refuted(
            f"the backward of line {case.asked.line} ran {times(len(walks))} and made no graph of the "
            f"gradients"
        )
    needed = [number for walk in making for number in walk.needed_by]
    if needed:
        later = case.record.walks[needed[0]]
        return refuted(f"the backward of {at(later.lines)} runs what line {case.asked.line} made or kept")
    # What a run that was ended would have done with the last one is not known.
    whole = making if case.ended() else making[:-1]
    if not whole or not case.ran_on():
        return unreached(case, "a backward that makes a graph of the gradients, and the end of the run")
    if not all(walk.firm for walk in whole):
        return inconclusive("a graph of gradients was made, but of the graph of a stand-in")
    return confirmed(
        f"{plural(len(whole), 'backward')} at line {case.asked.line} made a graph of the gradients, "
        f"{plural(whole[0].creates, 'node')} the first time, and no later backward ran any of it"
    )


def constant(case: Case) -> Judgement:
    """Gradients without a graph are added to what a loss hangs on, and with a graph it trains otherwise."""
    added = case.here(case.record.of("added-slope"))
    asked = case.here([walk for walk in case.record.walks if not walk.fills])
    if not added:
        if asked and case.ran_on():
            return refuted(
                f"`autograd.grad` at line {case.asked.line} ran {times(len(asked))}, and nothing that has "
                f"a graph "
                "was added to what it gave without one"
            )
        return unreached(case, "a sum with gradients that have no graph")
    lines = lines_of(line for sight in added for line in sight.lines[:1])
    changed = case.rerun(Changes(create=lines))
    if changed is None:
        return inconclusive("could not run: the program with `create_graph=True` did not finish")
    if changed.error is not None and case.record.error is None:
        return inconclusive(
            f"with `create_graph=True`, {at(changed.error.lines)} raises {changed.error.text[:160]}"
        )
    pairs = [pair for pair in in_step(case.record, changed) if pair[0].fills]
    other = [old for old, new in pairs if not _near(old, new)]
    if not pairs:
        return unreached(case, "a backward in both runs")
    if not other:
        return refuted(f"with `create_graph=True`, {plural(len(pairs), 'backward')} gave the same gradients")
    return confirmed(
        f"what `autograd.grad` gave at {at(added[0].lines)} is added to a loss at {at(added[0].facts['at'])} "
        f"without a graph; with `create_graph=True` the gradients of {len(other)} of "
        f"{plural(len(pairs), 'backward')} are others, the first at {at(other[0].lines)}"
    )


def _near(old: Walk, new: Walk) -> bool:
    """Whether two backwards gave the same, but for rounding."""
    one, other = old.digest.split(), new.digest.split()
    size = max(*old.norms, *new.norms, 1e-3)
    return len(one) == len(other) and all(map(lambda a, b: _same(a, b, size), one, other))


def _same(one: str, other: str, size: float) -> bool:
    if "-" in (one, other):
        return one == other
    first, second = float(one), float(other)
    both_nan = math.isnan(first) and math.isnan(second)
    return both_nan or math.isclose(first, second, rel_tol=_NEAR, abs_tol=_NEAR * size)
