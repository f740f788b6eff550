"""The protocol of gradient scalers: what meets gradients at the wrong scale, and what raises."""

from __future__ import annotations

from lintgrad.verify.child.oracles.case import (
    Case,
    Judgement,
    at,
    confirmed,
    plural,
    refuted,
    short,
    times,
    unreached,
)

_ERRORS = (
    "has already been called on this optimizer since the last update()",
    "has already been called since the last update()",
    "is being called after step()",
    "No inf checks were recorded",
)
"""What a scaler says when its protocol is broken."""


def clipped(case: Case) -> Judgement:
    """A clip sees gradients that are multiplied by the loss scale."""
    clips = case.here(case.record.of("scaled-clip"))
    found = [sight for sight in clips if sight.facts["marked"]]
    if found:
        facts = found[0].facts
        return confirmed(
            f"{len(found)} of {plural(len(clips), 'clip')} at line {case.asked.line} saw the gradients of "
            f"{plural(facts['marked'], 'parameter')} multiplied by {facts['scale']:g}: their norm was "
            f"{facts['norm']:.4g}, without the scale {facts['norm'] / facts['scale']:.4g}"
        )
    if clips:
        return refuted(f"{plural(len(clips), 'clip')} at line {case.asked.line} saw no scaled gradient")
    if case.hits and case.ran_on():
        return refuted(f"line {case.asked.line} ran {times(case.hits)} and clipped nothing")
    return unreached(case, "a clip")


def bypassed(case: Case) -> Judgement:
    """A step applies scaled gradients, or a scaler divides those of a loss that was not scaled."""
    steps = case.here(case.record.of("scaled-step"))
    direct = [sight for sight in steps if sight.facts["marked"]]
    if direct:
        facts = direct[0].facts
        return confirmed(
            f"{plural(len(direct), 'step')} at line {case.asked.line} applied the gradients of "
            f"{plural(facts['marked'], 'parameter')} multiplied by {facts['scale']:g}; their norm was "
            f"{facts['norm']:.4g}"
        )
    plain = case.here(case.record.of("plain-backward"))
    if plain:
        return confirmed(
            f"the gradients of {plural(len(plain), 'backward')} at line {case.asked.line}, whose loss was "
            f"not scaled, were divided by the scale {plain[0].facts['scale']:g}"
        )
    if case.hits >= (2 if case.looped else 1) and case.ran_on():
        return refuted(f"line {case.asked.line} ran {times(case.hits)}, and no gradient was at a wrong scale")
    return unreached(case, "a step")


def protocol(case: Case) -> Judgement:
    """The scaler raises for want of an update, or is updated while scaled gradients wait."""
    record = case.record
    problems = [*record.problems, *([record.error] if record.error else [])]
    told = case.here([p for p in problems if any(text in p.text for text in _ERRORS)])
    if told:
        return confirmed(f"{told[0].kind} at {at(told[0].lines)}: {short(told[0].text)}")
    early = case.here(record.of("early-update"))
    if early:
        facts = early[0].facts
        return confirmed(
            f"{plural(len(early), 'update')} at line {case.asked.line} came between a backward at the scale "
            f"{facts['was']:g} and the division, by {facts['now']:g} then"
        )
    if case.hits >= (2 if case.looped else 1) and case.ran_on():
        return refuted(f"line {case.asked.line} ran {times(case.hits)} and the scaler raised nothing")
    return unreached(case, "the error")


def mixed(case: Case) -> Judgement:
    """A backward runs while autocast is on."""
    walks = case.here(case.record.of("mixed-backward"))
    found = [sight for sight in walks if sight.facts["mixed"]]
    if found:
        return confirmed(
            f"autocast was on in {len(found)} of {plural(len(walks), 'backward')} at line {case.asked.line}"
        )
    if walks:
        return refuted(f"autocast was off in {plural(len(walks), 'backward')} at line {case.asked.line}")
    return unreached(case, "a backward")
