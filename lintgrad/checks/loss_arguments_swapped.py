"""LG604: a criterion is given the target first and the model's output second."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._contents import NAMES
from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Confidence, Finding, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Node
from lintgrad.machine.losses import LossCall
from lintgrad.machine.values import Tensor


def check(run: Run) -> Iterator[Finding]:
    """Report criteria, not symmetric, whose target has the graph and whose input has none."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(LossCall):
        output = event.target
        if output is None or event.input is None or not isinstance(output.node, Node):
            continue
        if output.node.grounded and _is_data(event.input):
            yield _finding(trace, event, output.node)


def _is_data(tensor: Tensor) -> bool:
    """Whether the tensor has no graph, and has lost none."""
    return tensor.tape is None and tensor.cut is None and not tensor.ungraphed


def _finding(trace: Trace, event: LossCall, made: Node) -> Finding:
    doubt = Confidence.LIKELY if event.input is not None and event.input.doubt else Confidence.CERTAIN
    return Finding(
        event.site,
        f"{NAMES[event.loss]} is given the target first and the model's output second: `{event.loss}` is not "
        "symmetric, so another loss is minimized, or it raises",
        (
            Step(made.site, f"`{made.op}` makes the output, which carries the graph"),
            Step(event.site, "it stands in the target's place"),
        ),
        help="give the output first and the target second",
        confidence=sure(trace, event.confidence, made.confidence, doubt),
    )
