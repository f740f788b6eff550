"""LG201: backward on a tensor without a graph, or a term of a loss that has lost its own."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import by_site, call_of, strongest, sure
from lintgrad.diagnostics import Confidence, Finding, Severity, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Ungraphed
from lintgrad.machine.observations import Backward
from lintgrad.machine.values import Cut, Tensor

_HOW = {
    "detach": "`.detach()`",
    "data": "`.data`",
    "torch.tensor": "`torch.tensor(...)` copies the values only and",
}


def check(run: Run) -> Iterator[Finding]:
    """Report graphless backwards, and additive terms cut out of the graph."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for events in by_site(run, Backward).values():
        if all(event.graphless for _, event in events):
            yield from (_graphless(t, e, e.root) for t, e in events if e.root is not None and _known(e.root))
    for trace, event in run.events(Backward):
        for term in event.constant_terms:
            if term.cut is not None and event.kind == "backward" and term.cut.how != "autograd.grad":
                yield _term(trace, event, term.cut)


def _known(root: Tensor) -> bool:
    """Whether the tensor surely has no graph."""
    return root.cut is not None or bool(root.ungraphed) or not root.doubt


def _graphless(trace: Trace, event: Backward, root: Tensor) -> Finding:
    steps: list[Step] = []
    why = "nothing in it requires a gradient"
    if root.cut is not None:
        steps.append(_cut_step(root.cut))
        why = f"{_how(root.cut)} took it out of the graph"
    elif root.ungraphed:
        why = "it was computed while gradients were off"
        steps += _while_off(root.ungraphed[0])
    return Finding(
        event.site,
        f"{call_of(event)} is called on a tensor without a graph, {why}: this raises",
        (*steps, Step(event.site, "there is nothing to walk")),
        help=(
            "compute the loss from the model's output with gradients on, without `.item()`, "
            "`.detach()` or `torch.tensor` on the way"
        ),
        confidence=sure(trace, event.confidence),
    )


def _while_off(missed: Ungraphed) -> list[Step]:
    """Where gradients were turned off, and what was computed then."""
    off = [Step(missed.off, "gradients are turned off here")] if missed.off is not None else []
    return [*off, Step(missed.site, "this records no graph for what it is given")]


def _term(trace: Trace, event: Backward, cut: Cut) -> Finding:
    return Finding(
        cut.site,
        f"{_how(cut)} cuts this term of the loss out of the graph: it adds a constant and trains nothing",
        (_cut_step(cut), Step(event.site, f"{call_of(event)} reaches the other terms only")),
        help=(
            "keep the graph: `torch.stack(losses)` instead of `torch.tensor(losses)`, `.detach()` "
            "on the target alone"
        ),
        confidence=sure(trace, event.confidence, Confidence.LIKELY),
        severity=Severity.WARNING,
    )


def _cut_step(cut: Cut) -> Step:
    return Step(cut.site, f"{_how(cut)} leaves the graph here")


def _how(cut: Cut) -> str:
    return _HOW.get(cut.how, f"`{cut.how}`")
