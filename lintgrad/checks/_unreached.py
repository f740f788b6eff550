"""Steps before which a backward ran that went past all of their parameters: the ground of LG208."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lintgrad.checks._empty_step import empty_steps
from lintgrad.diagnostics import Confidence
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Leaf, Node, Ungraphed, ancestors
from lintgrad.machine.observations import Backward, Step
from lintgrad.machine.occasions import Severed
from lintgrad.machine.values import OptimizerV


@dataclass(frozen=True, slots=True)
class Unreached:
    """A `step` that finds nothing, the `backward` before it, and where its parameters were `severed` off."""

    trace: Trace
    step: Step
    backward: Backward
    severed: Severed | None
    confidence: Confidence


def unreached_steps(run: Run) -> Iterator[Unreached]:
    """Each step that finds nothing on any path although a backward belongs to it."""
    for trace, step, confidence in empty_steps(run):
        backward, optimizer = _backward_for(trace, step), step.optimizer
        if backward is not None and isinstance(optimizer, OptimizerV) and _is_seen(optimizer, backward):
            severed = severed_before(trace, step, optimizer, backward)
            if severed is not None or not _is_replaced(optimizer, backward):
                yield Unreached(trace, step, backward, severed, confidence)


def _backward_for(trace: Trace, step: Step) -> Backward | None:
    """The last backward since the optimizer's last step, and since a clear that took gradients of others."""
    own = [s.seq for s in trace.of(Step) if s.optimizer is step.optimizer and s.seq < step.seq]
    since = max([*own, step.lost.seq if step.lost is not None else -1], default=-1)
    found = [b for b in trace.of(Backward) if since < b.seq < step.seq and b.kind == "backward"]
    used = [s.seq for s in trace.of(Step) if s.fresh and s.seq < step.seq]
    # What a step of another optimizer has used since was meant for that one.
    found = [b for b in found if b.seq > max(used, default=-1)]
    return found[-1] if found else None


def _is_seen(optimizer: OptimizerV, backward: Backward) -> bool:
    """Whether all that the backward reaches is known, and the optimizer has parameters to reach.

    A loss that was made a leaf anew is another rule's.
    """
    seen = not any(node.opaque or node.unseen or not node.grounded for node in backward.nodes)
    wanted = any(leaf.requires_grad and not leaf.opaque for leaf in optimizer.leaves)
    made_anew = any(leaf.rewrapped is not None for leaf in backward.leaves)
    return seen and wanted and not made_anew and bool(backward.leaves) and not backward.graphless


def _is_replaced(optimizer: OptimizerV, backward: Backward) -> bool:
    """Whether the backward fills parameters that came after the optimizer and that nobody holds."""
    return any(
        leaf.owner is None and leaf.is_parameter and leaf.born > optimizer.born for leaf in backward.leaves
    )


def severed_before(trace: Trace, step: Step, optimizer: OptimizerV, backward: Backward) -> Severed | None:
    """The last cut between the optimizer's last step and the backward that left its parameters behind."""
    own = [s.seq for s in trace.of(Step) if s.optimizer is step.optimizer and s.seq < step.seq]
    since = max(own, default=-1)
    mine = {id(leaf) for leaf in optimizer.leaves}
    cuts = [cut for cut in trace.of(Severed) if since < cut.seq < backward.seq and _leads(cut.tapes, mine)]
    meant = [cut for cut in cuts if cut.how not in ("item", "tolist", "numpy")]
    return next(iter([*reversed(meant), *reversed(cuts)]), None)


def _leads(tapes: list[Node | Leaf], mine: set[int]) -> bool:
    return any(id(leaf) in mine for leaf in ancestors(tapes).leaves)


def ungraphed_before(found: Unreached) -> Ungraphed | None:
    """What of the step's parameters went into the loss while gradients were off: the ground of LG504."""
    optimizer, root = found.step.optimizer, found.backward.root
    if root is None or not isinstance(optimizer, OptimizerV):
        return None
    mine = {id(leaf) for leaf in optimizer.leaves}
    return next((u for u in root.ungraphed if u.off is not None and _leads(list(u.tapes), mine)), None)
