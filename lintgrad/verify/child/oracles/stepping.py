"""What optimizers' steps find in `.grad`."""

from __future__ import annotations

from lintgrad.verify.child.oracles.case import (
    Case,
    Judgement,
    at,
    confirmed,
    inconclusive,
    plural,
    refuted,
    times,
    unreached,
)
from lintgrad.verify.child.record import Step


def stale(case: Case) -> Judgement:
    """A step applied gradients that an earlier step had applied."""
    steps = case.here(case.record.steps)
    found = [step for step in steps if step.stale]
    firm = [step for step in found if step.firm]
    if firm:
        # The step with the largest surplus of the early ones shows it best.
        step = next((s for s in firm if s.ratio), firm[0])
        return confirmed(_surplus(step, len(firm), len(steps)))
    if found:
        return inconclusive("a step applied used gradients, but its optimizer is a stand-in")
    fresh = [step for step in steps if step.fresh]
    if len(fresh) >= 2:
        return refuted(f"{plural(len(fresh), 'step')} at line {case.asked.line} found fresh gradients alone")
    if fresh and case.ended() and not case.looped:
        return refuted(f"the program steps once at line {case.asked.line}, on fresh gradients")
    return unreached(case, "two steps that find gradients")


def _surplus(step: Step, found: int, steps: int) -> str:
    where = f"in {found} of {plural(steps, 'step')} at {at(step.lines)}"
    if not step.ratio:
        return (
            f"step {step.number} applied {plural(step.stale, 'gradient')} that an earlier step had applied, "
            f"with nothing added since ({where})"
        )
    return (
        f"`.grad` is {step.ratio:.2f} times the right one at step {step.number}: {step.stale} of "
        f"{plural(step.parameters, 'parameter')} still had what an earlier step applied ({where})"
    )


def cleared(case: Case) -> Judgement:
    """A step found nothing, since what backward had computed was cleared unused."""
    steps = case.here(case.record.steps)
    found = [step for step in steps if step.lost and not (step.fresh or step.stale) and step.firm]
    if found:
        step = found[0]
        walk = case.record.walks[step.lost_walk]
        by = f" at {at(step.lost_lines)}" if step.lost_lines else ""
        return confirmed(
            f"step {step.number} found no gradient: those that the backward of {at(walk.lines)} gave "
            f"{plural(step.lost, 'parameter')} were cleared{by} before any step used them "
            f"(in {len(found)} of {plural(len(steps), 'step')})"
        )
    return _not_empty(case, steps, "lost none that backward had computed")


def empty(case: Case) -> Judgement:
    """Steps find nothing, since no backward ran since the last one."""
    steps = case.here(case.record.steps)
    found = [s for s in steps if not (s.fresh or s.stale or s.lost or s.touched) and s.firm]
    if found and len(found) == len(steps) and case.ran_on() and not case.record.skipped:
        idle = sum(step.idle for step in found)
        how = (
            "no backward ran before any of them"
            if idle == len(found)
            else "no backward reached its parameters"
        )
        return confirmed(
            f"{plural(len(found), 'step')} at line {case.asked.line} found no gradient in any of "
            f"{plural(found[0].parameters, 'parameter')}: {how}"
        )
    return _not_empty(case, steps, "had something to apply")


def _not_empty(case: Case, steps: list[Step], what: str) -> Judgement:
    full = [step for step in steps if step.fresh]
    if full and len(full) >= min(2, case.hits):
        return refuted(
            f"line {case.asked.line} stepped {times(len(steps))}: {len(full)} found gradients, and {what}"
        )
    return unreached(case, "a step that finds gradients")
