"""What of a run on stand-ins is to be believed.

A stand-in is not what it stands for: its inside, the branches that were taken on it and the values that it
gave say nothing of the program. What is left is what the program's own statements did.
"""

from __future__ import annotations

from lintgrad.verify.child.oracles.case import Judgement, inconclusive
from lintgrad.verify.child.record import Record
from lintgrad.verify.protocol import Asked

_ABOUT_STEPS = frozenset(
    (
        "stale-gradient",
        "cleared-gradient",
        "retained-in-loop",
        "retained-unneeded",
        "defeated",
        "early-schedule",
        "own-gradient",
        "useless-clip",
    )
)
"""Oracles that look at calls which the program makes itself, in the order in which it makes them."""

_ABOUT_ABSENCE = frozenset(("created-unneeded", "rewrapped"))
"""Oracles that confirm what nothing comes for: it may have been among what was left out."""

_ABOUT_VALUES = {
    "LG201": "whether the loss has a graph hangs on values that were stood in for",
    "LG203": "the size of the loss hangs on values that were stood in for",
    "LG501": "the caller may have turned gradients off",
    "LG502": "the caller may have switched the mode",
    "LG504": "what is trained hangs on values that were stood in for",
    "LG307": "what was stood in for may have made the gradients",
}
"""Codes of findings that stand-ins cannot show, and why."""


def on_standins(judgement: Judgement, asked: Asked, record: Record) -> Judgement:
    """The judgement of a run on stand-ins, as far as it holds."""
    if judgement.outcome == "confirmed":
        return _confirmed(judgement, asked, record)
    if judgement.outcome == "refuted":
        doubt = _doubt(asked, record)
        return inconclusive(f"{judgement.why}; but on stand-ins, {doubt}") if doubt else judgement
    return judgement


def _confirmed(judgement: Judgement, asked: Asked, record: Record) -> Judgement:
    if asked.code == "LG201":
        places = {asked.line, *(step.line for step in asked.related)}
        if any(line in places for cut in record.cuts for line in cut.lines):
            return judgement
    if asked.code in _ABOUT_VALUES:
        return inconclusive(f"on stand-ins, {_ABOUT_VALUES[asked.code]}")
    if asked.oracle in _ABOUT_ABSENCE and record.skipped:
        return inconclusive(f"{judgement.why}; but on stand-ins, without {record.skipped[0]}")
    if asked.oracle == "graph-growth":
        growing = {entry.loop for entry in record.growth if entry.rise}
        if not any(growing & set(walk.stamp) for walk in record.walks):
            return inconclusive("on stand-ins, a graph grew in a loop that trains nothing")
    return judgement


def _doubt(asked: Asked, record: Record) -> str:
    """Why that nothing was seen says little; empty where it says enough."""
    if asked.oracle not in _ABOUT_STEPS:
        return "whose inside is not the program's"
    if record.skipped:
        return f"without {record.skipped[0]}"
    if record.guessed:
        return "on which branches were guessed"
    return "of which shapes had to be mended" if record.repairs else ""
