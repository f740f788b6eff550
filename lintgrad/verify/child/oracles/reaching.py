"""Which parameters a gradient reaches, and whether an optimizer is there to use it."""

from __future__ import annotations

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


def left_out(case: Case) -> Judgement:
    """Parameters get gradients beside those of an optimizer, and none holds them."""
    built = case.here(case.record.of("trained"))
    found = [sight for sight in built if sight.facts["missing"]]
    if found:
        facts = found[0].facts
        return confirmed(
            f"the optimizer of line {case.asked.line} made {plural(facts['steps'], 'step')} over "
            f"{plural(facts['held'], 'parameter')}; {plural(facts['missing'], 'other parameter')} got "
            f"gradients from the same backwards, are in no optimizer, and moved by 0"
        )
    if built:
        facts = built[0].facts
        return refuted(
            f"no parameter was left behind in {plural(facts['steps'], 'step')} of the optimizer of line "
            f"{case.asked.line}"
        )
    if case.hits and case.record.of("trained") and case.ended():
        return refuted(f"line {case.asked.line} ran {times(case.hits)} and built no optimizer that stepped")
    return unreached(case, "an optimizer that steps")


def stale(case: Case) -> Judgement:
    """Parameters made after the optimizer get the gradients, and it does not hold them."""
    made = case.here(case.record.of("made"))
    found = [sight for sight in made if sight.facts["late"]]
    if found:
        facts = found[0].facts
        return confirmed(
            f"{facts['late']} of {plural(facts['made'], 'parameter')} that line {case.asked.line} made are "
            f"newer than the optimizer, got gradients, and are in no optimizer; it made "
            f"{plural(facts['steps'], 'step')} without them"
        )
    if any(sight.facts["filled"] for sight in made) or (made and case.ended()):
        count = sum(sight.facts["made"] for sight in made)
        return refuted(
            f"none of {plural(count, 'parameter')} that line {case.asked.line} made was left behind"
        )
    return unreached(case, "new parameters that get gradients")


def unreached_step(case: Case) -> Judgement:
    """The steps after the place find no gradient, although backwards ran that filled others."""
    steps = [step for step in case.record.steps if step.firm]
    idle = {key: [s for s in steps if s.optimizer == key] for key in {s.optimizer for s in steps}}
    empty = {
        key: mine
        for key, mine in idle.items()
        if not any(s.fresh or s.stale or s.touched for s in mine) and any(not s.idle for s in mine)
    }
    walks = [walk for walk in case.record.walks if walk.fills and walk.leaves]
    if empty and walks and case.hits:
        mine = max(empty.values(), key=len)
        return confirmed(
            f"{plural(len(mine), 'step')} at {at(mine[0].lines)} found no gradient in any of "
            f"{plural(mine[0].parameters, 'parameter')}, while {plural(len(walks), 'backward')} reached "
            f"{plural(max(w.leaves for w in walks), 'leaf')}".replace("leafs", "leaves")
        )
    if case.hits and steps and not empty:
        return refuted(f"each optimizer found gradients in some of {plural(len(steps), 'step')}")
    return unreached(case, "a step")


def dropped(case: Case) -> Judgement:
    """What the place computes has a graph, and every backward gives the same without it."""
    graphs = case.here(case.record.of("graph"))
    walks = [walk for walk in case.record.walks if walk.fills]
    if not graphs or not walks:
        return unreached(case, "a graph and a backward")
    other = case.rerun(Changes(cut=lines_of(case.place)))
    if other is None:
        return inconclusive("the program could not be run with the term detached")
    pairs = in_step(case.record, other)
    same = sum(mine.digest == theirs.digest for mine, theirs in pairs)
    if len(pairs) == len(case.record.walks) == len(other.walks) and same == len(pairs):
        return confirmed(
            f"line {case.asked.line} made tensors with a graph {times(graphs[0].facts['often'])}, and with "
            f"these detached {plural(len(pairs), 'backward')} of {len(pairs)} gave the same gradients"
        )
    return refuted(
        f"with what line {case.asked.line} makes detached, {len(case.record.walks) - same} of "
        f"{plural(len(case.record.walks), 'backward')} gave other gradients, or none"
    )
