"""LG303: gradients are cleared at each micro-batch and applied at each n-th."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Gradient
from lintgrad.machine.observations import Clear, Step
from lintgrad.machine.turns import earlier


def check(run: Run) -> Iterator[Finding]:
    """Report clears that take away the work of earlier turns, before a step that comes every n-th time."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace in run.traces:
        steps = [step for step in trace.of(Step) if step.periodic and step.fresh]
        for clear in trace.of(Clear):
            if clear.periodic:
                continue
            lost = [g for g in clear.unused if _wasted(g, clear)]
            step = next((s for s in steps if s.seq > clear.seq and _same_optimizer(s, clear)), None)
            if lost and step is not None:
                yield _finding(trace, clear, lost[0], step)


def _wasted(gradient: Gradient, clear: Clear) -> bool:
    """Whether an earlier turn's backward was wholly in vain."""
    made = gradient.backward
    unused = all(g.applied is None and not g.read for g in made.gradients)
    turn = earlier(made.turn, clear.turn)
    # A clear in the loop around, at an epoch's start, takes the rest of a window alone.
    return unused and turn is not None and made.turn is not None and turn.loop is made.turn.loop


def _same_optimizer(step: Step, clear: Clear) -> bool:
    """Whether the step applies what a backward after this clear gave."""
    return any(gradient.backward.seq > clear.seq for gradient in step.fresh)


def _finding(trace: Trace, clear: Clear, lost: Gradient, step: Step) -> Finding:
    name = f"`{clear.name}.zero_grad()`" if clear.name else "`zero_grad()`"
    return Finding(
        clear.site,
        f"{name} runs for each micro-batch, the step for each n-th: all gradients but the last are "
        "thrown away",
        (
            PathStep(lost.backward.site, "this turn's gradients are added"),
            PathStep(clear.site, "the next turn clears them, unused"),
            PathStep(step.site, "the step, which comes every n-th time, finds the last ones alone"),
        ),
        help="clear where you step: after `step()`, under the same condition",
        confidence=sure(trace, step.confidence, Confidence.LIKELY),
    )
