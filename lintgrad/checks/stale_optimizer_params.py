"""LG309: parameters that came after the optimizer get gradients, and no optimizer holds them."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._left_out import LeftOut, left_out, names_of
from lintgrad.checks._paths import call_of, step_of, strongest, sure
from lintgrad.checks._unreached import severed_before
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run
from lintgrad.machine.graph import Leaf
from lintgrad.machine.observations import Forward
from lintgrad.machine.protocol import leaves_under


def check(run: Run) -> Iterator[Finding]:
    """Report what replaces or adds parameters behind an optimizer's back."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for found in left_out(run):
        late = found.late
        if not found.trained() and found.step.fresh:
            continue  # a network beside, whose backward is not that of the step
        if severed_before(found.trace, found.step, found.optimizer, found.backward) and not found.trained():
            continue  # the optimizer's own network was there, and was cut off
        # A copy beside what is trained is a target; one in its place is a new model.
        if any(leaf.storage.filled for leaf in late) and found.trained():
            within = _beside_held(found)
            late = [leaf for leaf in late if not leaf.storage.filled or id(leaf) in within]
        if late and late[0].site is not None:
            yield _finding(found, late)


def _beside_held(found: LeftOut) -> set[int]:
    """The leaves of modules that have been called and that hold parameters of the optimizer too."""
    mine = {id(leaf) for leaf in found.optimizer.leaves}
    modules = {id(event.module): event.module for event in found.trace.of(Forward)}
    parts = [{id(leaf) for leaf in leaves_under(module)} for module in modules.values()]
    return {leaf for part in parts if part & mine for leaf in part}


def _finding(found: LeftOut, late: list[Leaf]) -> Finding:
    site, optimizer = late[0].site, found.optimizer
    assert site is not None
    built = [PathStep(optimizer.site, f"`{optimizer.kind}` takes its parameters")] if optimizer.site else []
    what = f"parameters ({names_of(late)})" if names_of(late) else "parameters"
    return Finding(
        site,
        f"{what} are newer than the optimizer: {step_of(found.step.name)} never moves them",
        (
            *built,
            PathStep(site, "these are made later, and no optimizer is given them"),
            PathStep(found.backward.site, f"{call_of(found.backward)} fills their gradients"),
            PathStep(found.step.site, "the step knows the old ones alone"),
        ),
        help="build the optimizer after the whole model, or pass new parameters to `add_param_group`",
        confidence=sure(found.trace, found.backward.confidence, found.step.confidence),
    )
