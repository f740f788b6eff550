"""LG205: an optimizer is given a tensor that is no leaf."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import op_name, strongest, sure
from lintgrad.diagnostics import Finding, Step
from lintgrad.machine import Run
from lintgrad.machine.occasions import NonleafParameter


def check(run: Run) -> Iterator[Finding]:
    """Report optimizers over computed tensors."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(NonleafParameter):
        node = event.tensor.node if event.tensor is not None else None
        if node is None:
            continue
        name = f"`{event.name}`" if event.name else "`params`"
        yield Finding(
            event.site,
            f"the optimizer is given {name}, which `{op_name(node)}` has computed: it is no leaf, "
            "and this raises",
            (
                Step(node.site, "computed here from a leaf"),
                Step(event.site, "an optimizer takes leaves alone"),
            ),
            help=(
                "compute the values first and make the leaf of the result: `x = "
                "(...).detach().requires_grad_()`"
            ),
            confidence=sure(trace, node.confidence),
        )
