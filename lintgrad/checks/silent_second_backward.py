"""LG102: a second backward through freed nodes that had saved nothing: no error, doubled gradients."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, made_here, op_name, strongest, sure, way_back
from lintgrad.diagnostics import Finding, Step
from lintgrad.machine import Run
from lintgrad.machine.observations import Backward


def check(run: Run) -> Iterator[Finding]:
    """Report backwards that run freed nodes again without raising."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Backward):
        if not event.silent or event.raises or not event.gradients:
            continue
        # A trunk that two losses share is walked twice and counts right; a loss walked twice does not.
        walked = {id(node) for node in event.nodes}
        doubled = [s for s in event.silent if any(id(tape) in walked for tape in s.freed.tapes)]
        if not doubled:
            continue
        node, first = doubled[0].node, doubled[0].freed
        names = sorted({leaf.name for leaf in event.leaves if leaf.name and not leaf.opaque})
        filled = f"`{names[0]}.grad`" if len(names) == 1 else "each `.grad` that it reaches"
        steps = [
            made_here(node),
            Step(
                first.site,
                f"{call_of(first)} runs it; it frees nothing, as `{op_name(node)}` saves no tensor",
            ),
            *way_back(first, event),
            Step(event.site, "the same node runs again and adds its gradient once more"),
        ]
        yield Finding(
            event.site,
            f"{call_of(event)} runs the same graph again: no error, since `{op_name(node)}` saves "
            f"no tensor, but {filled} counts it twice",
            tuple(steps),
            help=(
                "call backward once for each forward; pass `retain_graph=True` to the first where "
                "adding up is meant"
            ),
            confidence=sure(trace, event.confidence, node.confidence, doubled[0].confidence),
        )
