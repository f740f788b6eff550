"""Evaluations and trainings in the mode of the other."""

from __future__ import annotations

from lintgrad.verify.child.oracles.case import (
    Case,
    Judgement,
    at,
    confirmed,
    plural,
    refuted,
    times,
    unreached,
)
from lintgrad.verify.child.record import Sight


def unwalked(case: Case) -> Judgement:
    """Forwards in eval mode make graphs, and no backward runs any of them."""
    forwards = case.here(case.record.of("forward"))
    graphs = [one for one in forwards if one.facts["graph"] and not one.facts["training"]]
    if any(one.facts["walked"] for one in graphs):
        return refuted(f"a backward walked what the forward in {at(case.asked.line)} gave")
    if graphs and case.ended():
        return confirmed(
            f"{plural(len(graphs), 'forward')} in eval mode in {at(case.asked.line)} gave results with a "
            "graph, and no backward came for one of them"
        )
    if forwards and not graphs:
        return refuted(
            f"{plural(len(forwards), 'forward')} in {at(case.asked.line)} made no graph in eval mode"
        )
    return _nothing(case, "a forward")


def in_train_mode(case: Case) -> Judgement:
    """Forwards without a graph let dropout drop or batch norm learn."""
    forwards = case.here(case.record.of("forward"))
    found = [one for one in forwards if one.facts["acts"] and not one.facts["graph"]]
    if found:
        return confirmed(
            f"{plural(len(found), 'forward')} without a graph in {at(case.asked.line)} ran dropout or batch "
            "norm as in training"
        )
    if forwards:
        return refuted(f"no layer acted as in training in {plural(len(forwards), 'forward')}")
    return _nothing(case, "a forward")


def stuck(case: Case) -> Judgement:
    """What was trained in train mode before the place is trained in eval mode after it."""
    order = {id(sight): position for position, sight in enumerate(case.record.sights)}
    switches = [one for one in case.here(case.record.of("switch")) if not one.facts["training"]]
    walked = [one for one in case.record.of("forward") if one.facts["applied"]]
    for switch in switches:
        now = order[id(switch)]
        before = {one.facts["module"] for one in walked if one.facts["training"] and order[id(one)] < now}
        after = [one for one in walked if order[id(one)] > now and one.facts["module"] in before]
        if after and not after[0].facts["training"]:
            return confirmed(
                f"after {at(case.asked.line)} the forward in {at(after[0].lines)}, which a step used, ran "
                f"in eval mode, {plural(_count(after), 'time')}; before it ran in train mode"
            )
    if switches and case.ended():
        return refuted(f"no training went on in eval mode after {at(case.asked.line)} ran {times(case.hits)}")
    return _nothing(case, "a switch to eval mode")


def deaf(case: Case) -> Judgement:
    """A dropout drops in the forward of a module in eval mode."""
    dropped = case.here(case.record.of("dropped"))
    found = [one for one in dropped if not one.facts["training"]]
    if found:
        return confirmed(
            f"the dropout in {at(case.asked.line)} dropped {times(len(found))} while the module was in "
            "eval mode"
        )
    evaluated = any(not one.facts["training"] for one in case.record.of("forward"))
    if evaluated and case.hits and case.ended():
        return refuted(f"the dropout in {at(case.asked.line)} did not drop in eval mode")
    return _nothing(case, "a forward in eval mode")


def _count(forwards: list[Sight]) -> int:
    return sum(not one.facts["training"] for one in forwards)


def _nothing(case: Case, what: str) -> Judgement:
    """The place ran to the end of the run without the thing; or it did not run."""
    if case.hits and case.ended() and not case.record.skipped:
        return refuted(f"{at(case.asked.line)} ran {times(case.hits)} without {what}")
    return unreached(case, what)
