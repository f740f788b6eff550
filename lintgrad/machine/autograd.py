"""Backward, and in-place writes: the two things that the graph's correctness hangs on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from lintgrad.diagnostics import Confidence
from lintgrad.machine import scaling
from lintgrad.machine.graph import Gradient, Leaf, Node, Walk, ancestors, between, beyond_unseen
from lintgrad.machine.observations import Backward, Event, InPlace, Second, Stale
from lintgrad.machine.occasions import Severed
from lintgrad.machine.protocol import written
from lintgrad.machine.turns import earlier
from lintgrad.machine.values import Numel, Tensor

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


NODES_A_STEP = 25
"""Nodes that a walk may visit in the time of a statement."""


def backward(
    m: Machine,
    node: nodes.Node,
    roots: list[Tensor],
    *,
    name: str = "",
    retain: bool | None = False,
    create: bool | None = False,
    gradient: bool = False,
    own_gradient: bool = False,
    inputs: list[Tensor] | None = None,
    kind: Literal["backward", "grad"] = "backward",
    framework: bool = False,
) -> Backward:
    """Run backward from `roots`: find what it walks, what is wrong with that, then mark and free.

    `retain` and `create` are None where the program's flag is not known; the graph is then taken
    as kept. Where torch would raise, the fault is noted and the path goes on as if it had not.
    """
    event = Backward(
        **m.here(node),
        name=name or written(node),
        kind=kind,
        tapes=[root.tape for root in roots if root.tape is not None],
        retain=retain,
        create=create,
        explicit_gradient=gradient,
        own_gradient=own_gradient,
        framework=framework,
        autocast=m.autocast,
    )
    _look_at_roots(event, roots)
    _run(m, event, _walk(event.tapes, inputs))
    m.record(event)
    return event


def _run(m: Machine, event: Backward, walk: Walk) -> None:
    """Run the nodes of `walk` for a backward, and give their gradients to the leaves."""
    m.spend(len(walk.nodes) // NODES_A_STEP)
    event.nodes, event.leaves = walk.nodes, walk.leaves
    if m.scaling and event.kind == "backward":
        scaling.followed(event)
    event.confidence = _confidence(walk)
    keep = event.retain is not False or event.create is not False
    doubted = beyond_unseen(walk, event.tapes)
    for one in walk.nodes:
        _run_node(m, event, one, keep)
    _doubt(event, doubted)
    _stop_at_first(event)
    _add_gradients(m, event)


def _look_at_roots(event: Backward, roots: list[Tensor]) -> None:
    """Note what backward is called on, and believe that it has a graph."""
    for tape in event.tapes:
        if isinstance(tape, Node) and not tape.opaque:
            tape.grounded = True
    # One root without a graph is enough for torch to raise; one that may have a graph is not.
    bare = [root for root in roots if root.tape is None and (not event.tapes or not root.doubt)]
    event.graphless = bool(bare)
    event.root = next(iter([*bare, *roots]), None)
    plain = event.kind == "backward" and not event.explicit_gradient
    event.nonscalar = plain and any(root.numel is Numel.MANY for root in roots)
    event.constant_terms = [term for root in roots for term in root.terms]


def _walk(tapes: list[Node | Leaf], inputs: list[Tensor] | None) -> Walk:
    if inputs is None:
        return ancestors(tapes)
    return between(tapes, [t.tape for t in inputs if t.tape is not None])


def _confidence(walk: Walk) -> Confidence:
    if any(leaf.opaque for leaf in walk.leaves) or any(n.opaque for n in walk.nodes):
        return Confidence.LIKELY
    return Confidence.CERTAIN


def _run_node(m: Machine, event: Backward, node: Node, keep: bool) -> None:
    """Let backward run `node`: note a second run, moved versions, needed retentions; then free it."""
    for retention in node.retained:
        retention.needed = retention.needed or event
    if not node.grounded:
        # It may be there: a graph kept for it may be needed.
        if keep:
            node.retained.append(event)
        return
    if node.freed is not None:
        second = Second(node=node, freed=node.freed)
        (event.silent if node.keeps is False else event.raises).append(second)
    else:
        _check_versions(event, node)
    if node.walked is not None and node.freed is None and earlier(node.turn, m.turn) is not None:
        if earlier(node.walked.turn, m.turn) is not None:
            event.carried.append(node)
    node.walked = event
    if keep:
        if event.retain is not False or event.create is not False:
            node.retained.append(event)
    elif node.freed is None:
        node.freed = event


def _doubt(event: Backward, doubted: frozenset[int]) -> None:
    """Put what rests on the way through unseen code last, and mark it."""
    if not doubted:
        return
    for second in (*event.raises, *event.silent):
        if id(second.node) in doubted:
            second.confidence = Confidence.POSSIBLE
    for stale in event.stale:
        if id(stale.node) in doubted:
            stale.confidence = Confidence.POSSIBLE
    event.raises.sort(key=lambda s: s.confidence.rank)
    event.silent.sort(key=lambda s: s.confidence.rank)
    event.stale.sort(key=lambda s: s.confidence.rank)
    event.carried = [node for node in event.carried if id(node) not in doubted]


def _stop_at_first(event: Backward) -> None:
    """Torch raises once: before it walks anything, else at the newest node that was freed or changed."""
    if event.graphless or (event.nonscalar and not event.framework):
        for walked in (event.raises, event.silent, event.stale, event.carried):
            walked.clear()
    freed = [
        second.node.seq
        for second in event.raises
        if second.node.keeps and second.confidence is not Confidence.POSSIBLE
    ]
    changed = [stale.node.seq for stale in event.stale if stale.confidence is not Confidence.POSSIBLE]
    if freed and changed:
        (event.raises if max(changed) > max(freed) else event.stale).clear()


def _check_versions(event: Backward, node: Node) -> None:
    for saved in node.saved:
        writer = saved.writer
        if writer is not None:
            event.stale.append(Stale(node=node, saved=saved, writer=writer))
            return


def _add_gradients(m: Machine, event: Backward) -> None:
    """Add a contribution to each leaf that the walk reached, and to the stand-ins of unknown ones."""
    if event.kind == "grad":
        return
    for leaf in event.leaves:
        if leaf.requires_grad:
            gradient = Gradient(event, leaf=leaf)
            leaf.gradients.append(gradient)
            event.gradients.append(gradient)
    held = any(leaf.owner is None or leaf.opaque for leaf in event.leaves)
    if held or not event.leaves or any(node.opaque for node in event.nodes):
        for leaf in m.wild:
            leaf.gradients.append(Gradient(event))


def sever(m: Machine, node: nodes.Node, how: str, tapes: Iterable[Node | Leaf]) -> None:
    """Note that values are taken out of the graph of `tapes`, where gradients are on."""
    cut = list(tapes) if m.grad else []
    if cut:
        m.record(Severed(**m.here(node), how=how, tapes=cut))


def write(
    m: Machine,
    node: nodes.Node,
    target: Tensor,
    op: str,
    *,
    name: str = "",
    by: Event | None = None,
    carries: bool = False,
) -> None:
    """An in-place write to `target`'s memory: move its version, and check the rules of leaves."""
    if op == "copy_":
        target.storage.filled = True
    if target.silent_writes:
        target.storage.silent = m.seq
        return
    leaf = target.leaf if target.node is None or target.view else None
    hit = leaf if m.grad and leaf is not None and leaf.requires_grad and by is None else None
    event = by or InPlace(
        **m.here(node),
        name=name,
        op=op,
        leaf=hit,
        carries=carries,
    )
    target.storage.write(event)
    if by is None:
        m.record(event)


def rewrite(
    m: Machine, node: nodes.Node, target: Tensor, op: str, source: Tensor | None, keeps: bool | None
) -> None:
    """Give `target` the graph of what was written into it, beside the one that it had."""
    if not m.grad or target.silent_writes:
        return
    tapes = [t for t in (target.tape, source.tape if source else None) if t is not None]
    if not tapes or (target.leaf is not None and target.node is None and target.leaf.requires_grad):
        return
    target.node = m.node(op, node, tuple(tapes), keeps=keeps)
