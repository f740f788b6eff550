"""LG204: `.grad` read of a tensor that is no leaf."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import op_name, strongest, sure
from lintgrad.diagnostics import Confidence, Finding, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.occasions import NonleafGrad


def check(run: Run) -> Iterator[Finding]:
    """Report reads of gradients that autograd does not keep."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(NonleafGrad):
        yield _finding(trace, event)


def _finding(trace: Trace, event: NonleafGrad) -> Finding:
    name = event.name or "x"
    node = event.tensor.node if event.tensor is not None else None
    made = [Step(node.site, f"`{op_name(node)}` makes a tensor that is no leaf")] if node is not None else []
    return Finding(
        event.site,
        f"`{name}.grad` is None: `{name}` was computed from the leaf, and autograd fills the "
        "gradients of leaves alone",
        (*made, Step(event.site, "its gradient is read here")),
        help=(
            f"make the leaf last (`{name} = {name}.detach().requires_grad_()`), or call "
            f"`{name}.retain_grad()` before backward"
        ),
        confidence=sure(trace, Confidence.LIKELY),
    )
