"""Faults that torch itself reports, and terms that are cut out of the loss without an error."""

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
    short,
    times,
    unreached,
)
from lintgrad.verify.child.record import Problem, Record, Walk

TEXTS = {
    "LG101": ("through the graph a second time",),
    "LG111": ("a leaf Variable that requires grad", "a view of a leaf Variable that requires grad"),
    "LG201": ("does not require grad and does not have a grad_fn", "has no attribute 'backward'"),
    "LG205": ("can't optimize a non-leaf Tensor",),
    "LG203": ("grad can be implicitly created only for scalar outputs",),
    "LG505": ("does not support the context manager protocol", "__enter__"),
    "LG607": ("before Module.__init__() call",),
}
"""By rule: what torch says, in all its forms."""


def raises(case: Case) -> Judgement:
    """The rule's error came out of the finding's line."""
    if case.asked.code not in TEXTS:
        return inconclusive("the verifier does not know what this rule's error says")
    found = _raised(case)
    if found is not None:
        return _confirmed(case, found)
    if case.asked.code == "LG201" and (cuts := case.here(case.record.cuts)):
        return _dropped(case, [cut.used for cut in cuts], cuts[0].op)
    needed = 2 if case.looped else 1
    if (
        case.asked.code == "LG101"
        and case.ran_on()
        and any(walk.firm for walk in case.here(case.record.walks))
    ):
        return _second(case)
    if case.hits >= needed and not case.here(_problems(case.record)):
        return refuted(f"line {case.asked.line} ran {times(case.hits)} and torch raised nothing there")
    return unreached(case, "the error")


def _problems(record: Record) -> list[Problem]:
    return [*record.problems, *([record.error] if record.error else [])]


def _raised(case: Case) -> Problem | None:
    texts = TEXTS[case.asked.code]
    walks = [Problem(walk.lines, "RuntimeError", walk.error) for walk in case.record.walks if walk.error]
    told = [p for p in [*_problems(case.record), *walks] if any(text in p.text for text in texts)]
    return next(iter(case.here(told)), None)


def _confirmed(case: Case, found: Problem) -> Judgement:
    said = f"{found.kind} at {at(found.lines)}: {short(found.text)}"
    if case.asked.code != "LG101":
        return confirmed(said)
    walks = [walk for walk in case.here(case.record.walks) if walk.error and walk.again]
    if not walks:
        return confirmed(said)
    firm = [again for again in walks[0].again if again.firm and again.freed]
    if not firm:
        return inconclusive(f"{said}; but the graph came from a stand-in")
    first = case.record.walks[firm[0].walk]
    return confirmed(
        f"{said}; of the nodes it meets, {firm[0].freed} "
        f"(`{firm[0].op}` of {at(firm[0].made)} among them) had been freed by the backward of "
        f"{at(first.lines)}"
    )


def _second(case: Case) -> Judgement:
    walks = [walk for walk in case.here(case.record.walks) if walk.firm]
    met = [walk for walk in walks if any(again.freed for again in walk.again)]
    if met:
        return refuted(_silent(met[0]))
    if len(walks) < (2 if case.looped else 1):
        return unreached(case, "a second backward")
    return refuted(
        f"{plural(len(walks), 'backward')} at line {case.asked.line} met no freed node and raised nothing"
    )


def _silent(walk: Walk) -> str:
    return f"the backward at {at(walk.lines)} met freed nodes that had saved nothing: torch raised nothing"


def _dropped(case: Case, used: list[bool], op: str) -> Judgement:
    """Whether no backward trains what made a value that left the graph here, and one would otherwise."""
    walks = [walk for walk in case.record.walks if not walk.error and walk.leaves]
    if not walks:
        return unreached(case, "a backward that reaches a parameter")
    if any(used):
        return refuted(f"a backward ran what `{op}` at line {case.asked.line} had taken values from")
    kept = case.rerun(Changes(keep=lines_of(case.place)))
    if kept is None:
        return inconclusive("could not run: the program with the term left in the graph did not finish")
    pairs = [pair for pair in in_step(case.record, kept) if pair[0].leaves]
    changed = sum(old.digest != new.digest or old.leaves != new.leaves for old, new in pairs)
    if not changed:
        return refuted("with the value left in the graph, no backward gave another gradient")
    return confirmed(
        f"none of {plural(len(walks), 'backward')} ran what `{op}` at line {case.asked.line} took out of the "
        f"graph; left in, it changes the gradients of {changed} of {plural(len(pairs), 'backward')}"
    )
