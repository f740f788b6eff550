"""Nodes that a second backward runs and torch does not mind, and graphs carried from turn to turn."""

from __future__ import annotations

from lintgrad.verify.child.oracles.case import (
    Case,
    Judgement,
    at,
    confirmed,
    inconclusive,
    plural,
    refuted,
    short,
    times,
    unreached,
)
from lintgrad.verify.child.record import Again, Walk


def doubled(case: Case) -> Judgement:
    """A backward computed once more what an earlier one had computed and freed, without an error."""
    walks = case.here(case.record.walks)
    for walk in walks:
        found = [again for again in walk.again if again.rooted and again.firm]
        if found and not walk.error:
            return confirmed(_twice(case, walk, found[0]))
    clean = [walk for walk in walks if not walk.error and walk.firm]
    if len(clean) >= (2 if case.looped else 1):
        return refuted(f"{plural(len(clean), 'backward')} at line {case.asked.line} ran no freed node")
    return unreached(case, "a backward that passes")


def _twice(case: Case, walk: Walk, again: Again) -> str:
    first = case.record.walks[again.walk]
    return (
        f"the backward at {at(walk.lines)} ran {plural(again.nodes, 'node')} "
        f"(`{again.op}` of {at(again.made)}) that the one at {at(first.lines)} had run and freed: "
        f"no error, and the norm of `.grad` went from {walk.norms[0]:.4g} to {walk.norms[1]:.4g}"
    )


def carried(case: Case) -> Judgement:
    """A backward of one turn ran into what an earlier turn had made and run."""
    walks = case.here(case.record.walks)
    met = [walk for walk in walks if any(again.carried for again in walk.again)]
    firm = [walk for walk in met if any(again.carried and again.firm for again in walk.again)]
    if firm and firm[0].error:
        return confirmed(_raised(case, firm[0]))
    if firm:
        counts = [sum(again.nodes for again in walk.again if again.carried) for walk in firm]
        grows = f", then {counts[1]}, at last {counts[-1]}" if len(counts) > 1 else ""
        return confirmed(
            f"{len(firm)} of {plural(len(walks), 'backward')} at line {case.asked.line} ran nodes of earlier "
            f"turns again: {counts[0]} at first{grows}"
        )
    if met:
        return inconclusive("a backward ran into an earlier turn's graph, but it came from a stand-in")
    if len([walk for walk in walks if not walk.error]) >= 2:
        return refuted(
            f"the backward at line {case.asked.line} ran {times(len(walks))} "
            "and met no graph of an earlier turn"
        )
    return unreached(case, "two backwards")


def _raised(case: Case, walk: Walk) -> str:
    again = next(again for again in walk.again if again.carried and again.firm)
    first = case.record.walks[again.walk]
    return (
        f"{short(walk.error)}: the backward at {at(walk.lines)} met {plural(again.nodes, 'node')} "
        f"(`{again.op}` of {at(again.made)}) that an earlier turn had made and the backward at "
        f"{at(first.lines)} had freed"
    )
