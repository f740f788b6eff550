"""LG304: gradients are added up over several batches, and the loss is not divided by their number."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._accumulation import Collected, collected
from lintgrad.checks._paths import call_of, step_of, strongest, sure
from lintgrad.diagnostics import Confidence, Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run
from lintgrad.machine.graph import Leaf, Node
from lintgrad.machine.observations import Backward

_SCALES = frozenset("div mul true_divide multiply divide".split())
_PASSES = frozenset("neg to float double half view reshape squeeze unsqueeze clone contiguous".split())
_MEANS = ("loss", "entropy", "mean", "kl_div")


def check(run: Run) -> Iterator[Finding]:
    """Report means that are summed up over a window."""
    # Where a path divides, the others have a window of one batch.
    divided = {event.site for _, event in run.events(Backward) if any(map(_is_scaled, event.tapes))}
    found = [one for one in collected(run) if one.backward.site not in divided and _is_whole(one.backward)]
    yield from strongest(map(_finding, found))


def _is_scaled(tape: Node | Leaf) -> bool:
    """Whether the last thing that was done to a loss is to divide it, as far as that is seen."""
    for _ in range(4):
        if isinstance(tape, Leaf) or len(tape.inputs) != 1 or tape.op in _SCALES:
            break
        tape = tape.inputs[0]
    return isinstance(tape, Node) and tape.op in _SCALES


def _is_whole(backward: Backward) -> bool:
    """Whether the backward starts at a mean over one batch, and nobody looks at the gradients after it."""
    if backward.explicit_gradient or backward.scaler is not None or len(backward.tapes) != 1:
        return False
    read = any(gradient.read for gradient in backward.gradients)
    return not read and _is_mean(backward.tapes[0], 0)


def _is_mean(tape: Node | Leaf, depth: int) -> bool:
    """Whether a node is the mean of a batch, or a sum of such, that nothing has divided."""
    if isinstance(tape, Leaf) or depth > 8 or tape.op in _SCALES or tape.summed or tape.opaque:
        return False
    inputs = [one for one in tape.inputs if isinstance(one, Node)]
    if tape.op in ("add", "sub"):
        return bool(inputs) and any(_is_mean(one, depth + 1) for one in inputs)
    if tape.op in _PASSES and len(inputs) == 1:
        return _is_mean(inputs[0], depth + 1)
    return "scale" not in tape.op and any(word in tape.op for word in _MEANS)


def _finding(found: Collected) -> Finding:
    backward, step = found.backward, found.step
    return Finding(
        backward.site,
        f"{call_of(backward)} adds the mean of each batch to a window that {step_of(step.name)} applies as a "
        "sum: the step is as many times too long",
        (
            PathStep(backward.site, "the gradient of one batch's mean is added"),
            PathStep(step.site, "the step comes once for several of them"),
        ),
        help="divide the loss by the number of batches in the window before `backward()`",
        confidence=sure(found.trace, backward.confidence, step.confidence, Confidence.LIKELY),
    )
