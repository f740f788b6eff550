"""What stands around the steps: clears, clips, schedules, and optimizers that are built again."""

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


def defeated(case: Case) -> Judgement:
    """A clear takes away what the same backward had given since the last step."""
    wasted = case.here(case.record.of("wasted"))
    firm = [sight for sight in wasted if sight.facts["firm"]]
    steps = [step for step in case.record.steps if step.fresh]
    if firm:
        facts = firm[0].facts
        steps = [step for step in steps if step.optimizer == facts["of"]]
        if 2 * len(firm) < len(steps):
            return inconclusive(
                f"gradients were cleared unused before {len(firm)} of {plural(len(steps), 'step')} alone"
            )
        return confirmed(
            f"step {facts['step']} applied the gradients of {facts['used']} of "
            f"{facts['used'] + facts['lost']} "
            f"backwards of {at(facts['backward'])}: {at(firm[0].lines)} had cleared those of the others "
            f"unused "
            f"(so in {len(firm)} of {plural(len(steps), 'step')})"
        )
    if wasted:
        return inconclusive("gradients were cleared unused, but the optimizer is a stand-in")
    if case.hits >= 2 and len(steps) >= 2:
        return refuted(
            f"line {case.asked.line} ran {times(case.hits)} and cleared nothing that one of "
            f"{plural(len(steps), 'step')} was to apply"
        )
    return unreached(case, "two steps")


def forgotten(case: Case) -> Judgement:
    """An optimizer begins without the state of the one that stood here a turn before."""
    built = case.here(case.record.of("built"))
    found = [sight for sight in built if sight.facts["lost"]]
    if found:
        facts = found[0].facts
        return confirmed(
            f"line {case.asked.line} built {plural(len(built), 'optimizer')} that stepped: number "
            f"{facts['number']} "
            f"began with no state, while the one before had {plural(facts['lost'], 'tensor')} of it after "
            f"{plural(facts['steps'], 'step')} over {plural(facts['shared'], 'parameter')} that both hold "
            f"(so {times(len(found))})"
        )
    if len(built) >= (2 if case.looped else 1) or (built and case.ended()):
        return refuted(
            f"{plural(len(built), 'optimizer')} of line {case.asked.line} stepped, and no state was lost"
        )
    if case.hits and case.record.of("built") and case.ended():
        return refuted(f"line {case.asked.line} ran {times(case.hits)} and built no optimizer that stepped")
    return unreached(case, "two optimizers that step")


def early(case: Case) -> Judgement:
    """A scheduler moves on before its optimizer has stepped at all."""
    moves = case.here(case.record.of("schedule"))
    found = [sight for sight in moves if sight.facts["early"]]
    then = [sight for sight in found if sight.facts["used"]]
    if then and then[0].facts["waits"]:
        return inconclusive("the first step came turns later, after gradients had been added up")
    if then:
        facts = then[0].facts
        return confirmed(
            f"the scheduler moved at {at(then[0].lines)} from the learning rate {facts['first']:.4g} to "
            f"{facts['then']:.4g} when its optimizer had stepped 0 times; the first step used "
            f"{facts['used']:.4g}"
        )
    if moves and not found:
        return refuted(f"the optimizer had stepped when line {case.asked.line} moved its scheduler first")
    steps = len(case.record.steps)
    if not found and case.hits and case.record.of("schedule") and steps:
        return refuted(f"line {case.asked.line} ran {times(case.hits)} and was no scheduler's first step")
    return unreached(case, "a scheduler's step before an optimizer's")


def useless(case: Case) -> Judgement:
    """Clips find no gradient that a step is still to use, and steps then use what nobody clipped."""
    clips = case.here(case.record.of("clip"))
    full = [sight for sight in clips if sight.facts["waiting"]]
    part = [sight for sight in full if sight.facts["left"]]
    if part and len(part) == len(full):
        facts = part[0].facts
        return confirmed(
            f"{plural(len(part), 'clip')} at line {case.asked.line} bounded "
            f"{facts['held'] - facts['left']} of {facts['held']} gradients that the step then "
            f"applied; the others came to it as they were, of norm {facts['norm']:.3g}"
        )
    if full:
        return refuted(
            f"{len(full)} of {plural(len(clips), 'clip')} at line {case.asked.line} found gradients that "
            f"no step had "
            "used"
        )
    steps = [step for step in case.record.steps if step.fresh and step.firm]
    if clips and steps:
        return confirmed(
            f"{plural(len(clips), 'clip')} at line {case.asked.line} found nothing in any of "
            f"{plural(clips[0].facts['parameters'], 'parameter')} that a step had not used yet; "
            f"{plural(len(steps), 'step')} applied gradients as they came, the first of norm "
            f"{steps[0].norm:.3g}"
        )
    if case.hits and case.record.of("clip") and not clips:
        return refuted(f"line {case.asked.line} ran {times(case.hits)} and clipped nothing")
    return unreached(case, "a clip and a step")
