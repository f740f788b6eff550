"""LG208: a step whose backward reached none of its parameters."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, step_of, strongest
from lintgrad.checks._unreached import Unreached, ungraphed_before, unreached_steps
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run


def check(run: Run) -> Iterator[Finding]:
    """Report what keeps a backward from the parameters that are stepped after it."""
    found = (one for one in unreached_steps(run) if ungraphed_before(one) is None)
    yield from strongest(_finding(one) for one in found)


def _finding(found: Unreached) -> Finding:
    cut, backward = found.severed, found.backward
    name = step_of(found.step.name)
    steps = [
        PathStep(backward.site, f"{call_of(backward)} goes to other parameters alone"),
        PathStep(found.step.site, "the step finds no gradient"),
    ]
    if cut is None:
        return Finding(
            backward.site,
            f"{call_of(backward)} reaches none of the parameters of {name}: nothing is trained",
            tuple(steps),
            help="compute the loss from what the optimizer's own network gives",
            confidence=found.confidence,
        )
    return Finding(
        cut.site,
        f"`{cut.how}` ends the graph here: {call_of(backward)} reaches none of the parameters of {name}",
        (PathStep(cut.site, "the graph of its parameters ends here"), *steps),
        help="keep the graph of what is to be trained; detach the other side",
        confidence=found.confidence,
    )
