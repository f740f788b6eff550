"""LG310: parameters get gradients, and no optimizer holds them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintgrad.checks._left_out import LeftOut, left_out, names_of
from lintgrad.checks._paths import call_of, strongest, sure
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run
from lintgrad.machine.graph import Leaf, Node, ancestors

_LOSS = re.compile(r"loss|entropy|kl_div")


def check(run: Run) -> Iterator[Finding]:
    """Report optimizers that leave out parameters of the loss that they train on."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for found in left_out(run):
        early = [leaf for leaf in found.leaves if leaf.born < found.optimizer.born]
        beside = found.trained()
        if not early or not beside or found.optimizer.site is None:
            continue
        fits = {id(leaf) for leaf in ancestors(_fitting(found.backward.nodes, beside)).leaves}
        leaves = [leaf for leaf in early if not leaf.storage.filled and (id(leaf) in fits or _is_own(leaf))]
        if leaves:
            yield _finding(found, leaves)


def _fitting(nodes: list[Node], trained: set[int]) -> list[Node | Leaf]:
    """The operations whose inputs ought to be trained: losses, and layers that are trained themselves.

    What stands between the two without a loss may be a judge that only tells a direction, as a critic does.
    """
    return [
        node
        for node in nodes
        if _LOSS.search(node.op) or _is_square(node) or any(id(one) in trained for one in node.inputs)
    ]


def _is_square(node: Node) -> bool:
    """Whether a node squares a difference from data."""
    return node.op in ("pow", "square", "abs") and any(
        isinstance(one, Node) and one.op == "sub" and len(one.inputs) == 1 for one in node.inputs
    )


def _is_own(leaf: Leaf) -> bool:
    """Whether a leaf is a parameter that a module's class makes itself: no layer's weight."""
    return "." not in leaf.name and leaf.name not in ("", "weight", "bias")


def _finding(found: LeftOut, leaves: list[Leaf]) -> Finding:
    optimizer, site = found.optimizer, found.optimizer.site
    assert site is not None
    made = [PathStep(leaf.site, "they are made here") for leaf in leaves[:1] if leaf.site]
    what = f"parameters ({names_of(leaves)})" if names_of(leaves) else "parameters"
    return Finding(
        site,
        f"{what} get gradients that no optimizer holds: they are never trained",
        (
            *made,
            PathStep(site, f"`{optimizer.kind or 'the optimizer'}` is built without them"),
            PathStep(
                found.backward.site, f"{call_of(found.backward)} fills their gradients, which no step uses"
            ),
        ),
        help="give these parameters to an optimizer, or freeze them with `requires_grad_(False)`",
        confidence=sure(found.trace, found.backward.confidence, found.step.confidence),
    )
