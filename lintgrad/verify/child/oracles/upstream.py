"""Backwards that are given the wrong thing to begin with."""

from __future__ import annotations

from lintgrad.verify.child.oracles.case import Case, Judgement, at, confirmed, plural, refuted, unreached


def own(case: Case) -> Judgement:
    """A backward begins with the loss's own value as its gradient."""
    given = case.here(case.record.of("own-gradient"))
    walks = [walk for walk in case.here(case.record.walks) if not walk.error]
    if given:
        value = given[0].facts["value"]
        return confirmed(
            f"{plural(len(given), 'backward')} at {at(given[0].lines)} began with the value of the tensor "
            f"itself: "
            f"each gradient of the first is {value:.4g} times the right one"
        )
    if walks:
        return refuted(
            f"{plural(len(walks), 'backward')} at {at(walks[0].lines)} began with another gradient"
        )
    return unreached(case, "a backward")
