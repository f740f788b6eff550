"""LG606: a module keeps layers or parameters where it does not know of them."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Finding, Site, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Gradient, Leaf
from lintgrad.machine.observations import Backward, InPlace
from lintgrad.machine.observations import Step as OptimizerStep


def check(run: Run) -> Iterator[Finding]:
    """Report parameters that a module made, did not register, and that no optimizer was given."""
    if not any(trace.exhausted for trace in run.traces):
        yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, backward in run.events(Backward):
        step = next((s for s in trace.of(OptimizerStep) if s.seq > backward.seq), None)
        if trace.wild or step is None or backward.kind != "backward":
            continue
        for gradient in backward.gradients:
            leaf = gradient.leaf
            if leaf is not None and leaf.site is not None and _is_lost(gradient, leaf, backward):
                yield _finding(trace, backward, step, leaf.site)


def _is_lost(gradient: Gradient, leaf: Leaf, backward: Backward) -> bool:
    """Whether nobody but an optimizer could have used the gradient, and none has the leaf."""
    written = any(isinstance(w, InPlace) and w.seq > backward.seq for w in leaf.storage.writers)
    return (
        leaf.loose
        and not leaf.in_forward
        and leaf.owner is None
        and leaf.touched < 0
        and gradient.applied is None
        and not gradient.read
        and not written
        and leaf.storage.silent <= backward.seq
    )


def _finding(trace: Trace, backward: Backward, step: OptimizerStep, made: Site) -> Finding:
    return Finding(
        made,
        "the module does not know of this: what a plain list, dict or tensor holds is not among "
        "its `parameters()`, and is never trained, moved or saved",
        (
            Step(made, "made here, and not registered"),
            Step(backward.site, "backward gives it a gradient"),
            Step(step.site, "no optimizer has it"),
        ),
        help="use `nn.ModuleList`, `nn.ModuleDict`, `nn.ParameterList`, or assign an `nn.Parameter`",
        confidence=sure(trace, backward.confidence),
    )
