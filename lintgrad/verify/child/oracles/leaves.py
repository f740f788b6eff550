"""Leaves that are none or ought not to be: backwards end there, gradients are read where none comes."""

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
from lintgrad.verify.child.record import Cut, Sight


def rewrapped(case: Case) -> Judgement:
    """A backward reaches only leaves made here of what had left its graph, and nobody wants them."""
    ends = case.here(case.record.of("end"))
    useless = [sight for sight in ends if not sight.facts["wanted"]]
    if not useless:
        walks = [walk for walk in case.record.walks if walk.leaves]
        if ends:
            return refuted(f"the gradient of the leaf that line {case.asked.line} makes is used")
        if case.hits and walks and case.ran_on():
            return refuted(
                f"line {case.asked.line} ran {times(case.hits)}, and no backward ended at what it makes alone"
            )
        return unreached(case, "a backward that ends at what it makes")
    lost = [cut for cut in case.record.cuts if not cut.used]
    if not lost:
        return refuted(f"no value had left a graph before line {case.asked.line} made its leaf")
    return confirmed(_ends_there(case, useless, lost[0]))


def _ends_there(case: Case, useless: list[Sight], cut: Cut) -> str:
    walks = sorted({sight.facts["walk"] for sight in useless})
    first = case.record.walks[walks[0]]
    others = sum(walk.leaves for walk in case.record.walks if walk.number not in walks)
    rest = "" if others else "; no parameter got a gradient in the whole run"
    return (
        f"{plural(len(walks), 'backward')} at {at(first.lines)} reached {plural(first.leaves, 'leaf')} "
        f"made at "
        f"line {case.asked.line} and nothing else, while no backward ran what `{cut.op}` at "
        f"{at(cut.lines)} had "
        f"cut off{rest}"
    ).replace("leafs", "leaves")


def unkept(case: Case) -> Judgement:
    """The gradient of a tensor is read that is no leaf and keeps none."""
    reads = case.here(case.record.of("unkept"))
    firm = [sight for sight in reads if sight.facts["firm"]]
    if firm:
        made = firm[0].facts
        return confirmed(
            f"`.grad` was None {times(len(firm))} at {at(firm[0].lines)}: `{made['op']}` of "
            f"{at(made['made'])} had "
            "made the tensor, which is no leaf and keeps no gradient"
        )
    if reads:
        return inconclusive("a tensor without a gradient was asked for it, but a stand-in had made it")
    if case.hits:
        return refuted(
            f"line {case.asked.line} ran {times(case.hits)} and read no gradient of a tensor that keeps none"
        )
    return unreached(case, "the reading of a gradient")


def rebound(case: Case) -> Judgement:
    """What an update makes of a leaf is taken for the leaf later: its gradient is read, or it is trained."""
    found = case.here(case.record.of("rebound"))
    if found:
        facts = found[0].facts
        then = (
            f"line {facts['read']} found its `.grad` None"
            if facts["read"]
            else f"the next backward raised: {short(facts['error'])}"
        )
        return confirmed(
            f"line {case.asked.line} made a new tensor of a leaf and its gradient, which is no leaf "
            f"itself; {then} "
            f"(the line ran {times(case.hits)})"
        )
    walks = [walk for walk in case.record.walks if not walk.error]
    if case.hits and case.record.error is None and len(walks) >= (2 if case.looped else 1):
        return refuted(
            f"line {case.asked.line} ran {times(case.hits)}; nobody missed a gradient of what it makes in "
            f"{plural(len(walks), 'backward')}"
        )
    return unreached(case, "a backward after an update")
