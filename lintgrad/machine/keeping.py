"""What outlives a loop's turn: tensors stored where the next turn still reaches them.

Each open loop notes the stores of graph-bearing tensors into places that are older than the loop.
When the loop ends, a place from which nodes of more than one of its turns can be reached has grown
with every turn. Whether that was meant (a backward comes for them later) is decided at the path's
end, by `settle`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast

from lintgrad.diagnostics import Confidence, Site
from lintgrad.machine.graph import Leaf, Node, ancestors
from lintgrad.machine.observations import Backward, Kept
from lintgrad.machine.turns import Activation, chain, turn_of
from lintgrad.machine.values import DictV, Instance, ListV, Numel, Tensor, Unknown, Value
from lintgrad.program.nodes import Assign, Attribute, AugAssign, Call, Subscript
from lintgrad.program.text import text

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

SHORT = 3
"""A loop over a known list of fewer elements (phases, networks) is no growth."""

MAX_NESTING = 8

Reader = Callable[[], Value | None]


@dataclass(slots=True, eq=False)
class Stored:
    """One store: where, what, into which place."""

    site: Site
    holder: str
    how: str
    read: Reader
    stack: tuple[Site, ...]
    owner: object
    value: Site | None
    node: nodes.Node
    turns: set[int] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Stores:
    """The stores of one loop into places older than it."""

    loop: Activation
    entries: dict[tuple[int, str], Stored] = field(default_factory=dict)


def enter(m: Machine, loop: Activation) -> None:
    """A loop begins."""
    m.stores.append(Stores(loop))


def note(
    m: Machine,
    owner: object,
    born: int,
    key: str,
    value: Value,
    node: nodes.Node,
    *,
    how: str,
    read: Reader,
) -> None:
    """A value goes into a place that has existed since `born`."""
    if not m.stores or type(value) not in _GRAPH_KINDS or not _carries(value):
        return
    for stores in m.stores:
        if born < stores.loop.started:
            site = m.site(node)
            entry = stores.entries.get((id(owner), key))
            if entry is None or entry.site != site:
                entry = Stored(site, key, how, read, m.stack, owner, _value_site(m, node), node)
                stores.entries[(id(owner), key)] = entry
            else:
                entry.how, entry.read, entry.stack, entry.node = how, read, m.stack, node
            turn = turn_of(m.turn, stores.loop)
            if turn is not None:
                entry.turns.add(turn.index)


def _holder(node: nodes.Node) -> str:
    """The container that a statement or call stores into, as the user wrote it."""
    match node:
        case Call(func=Attribute(value=receiver)):
            return text(receiver)
        case Assign(targets=(Subscript(value=receiver), *_)):
            return text(receiver)
        case _:
            return ""


def _value_site(m: Machine, node: nodes.Node) -> Site | None:
    """Where the stored value stands in the statement or call that stores it."""
    if isinstance(node, AugAssign):
        return m.site(node.value)
    if isinstance(node, Call) and node.arguments:
        return m.site(node.arguments[-1].value)
    return None


_GRAPH_KINDS = (Tensor, Unknown, ListV, DictV)


def _carries(value: Value) -> bool:
    if isinstance(value, Tensor):
        return value.node is not None
    if isinstance(value, Unknown):
        tensor = value.acts_as
        return (isinstance(tensor, Tensor) and tensor.node is not None) or bool(value.sources)
    return isinstance(value, (ListV, DictV))


def leave(m: Machine, loop: Activation) -> None:
    """A loop ends: note each place that has grown."""
    stores = m.stores.pop()
    loop.finished = m.tick()
    seen: dict[int, tuple[int, int]] = {}
    for entry in stores.entries.values():
        if loop.bounded and len(entry.turns) < SHORT:
            continue
        value = entry.read()
        if value is None:
            continue
        old = _older_nodes(m, value, loop, seen)
        if old or len(entry.turns) > 1:
            _record(m, loop, entry, value, old)


def _older_nodes(m: Machine, value: Value, loop: Activation, seen: dict[int, tuple[int, int]]) -> list[Node]:
    """Nodes of the loop's first turns reachable from `value`, when newer ones are too.

    `seen` has the turns that were found behind nodes before, for other places that the loop stored into.
    """
    sources = m.sources(_sure_parts(value))
    if not _of_several_turns(sources, loop, seen):
        return []
    walk = ancestors(sources, loop.started, sure=True)
    turns: dict[int, list[Node]] = {}
    for node in walk.nodes:
        turn = turn_of(node.turn, loop)
        if turn is not None:
            turns.setdefault(turn.index, []).append(node)
    if len(turns) < 2:
        return []
    newest = max(turns)
    return [node for index, found in turns.items() if index < newest for node in found]


def _of_several_turns(sources: list[Node | Leaf], loop: Activation, seen: dict[int, tuple[int, int]]) -> bool:
    """Whether grounded nodes of more than one of the loop's turns are reachable from `sources`."""
    first, last = _NEVER
    for source in sources:
        if isinstance(source, Node) and source.grounded and source.seq > loop.started:
            low, high = _turns_behind(source, loop, seen)
            first, last = min(first, low), max(last, high)
    return first < last


_NEVER = (1 << 60, -1)
"""The first and the last of no turns."""


def _turns_behind(root: Node, loop: Activation, seen: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """The first and the last of the loop's turns that made what is reachable from `root`."""
    stack = [root]
    while stack:
        node = stack[-1]
        if id(node) in seen:
            stack.pop()
            continue
        below = [
            one for one in node.inputs if isinstance(one, Node) and one.grounded and one.seq > loop.started
        ]
        open_ones = [one for one in below if id(one) not in seen]
        if open_ones:
            stack += open_ones
            continue
        turn = turn_of(node.turn, loop)
        first, last = _NEVER if turn is None else (turn.index, turn.index)
        for one in below:
            low, high = seen[id(one)]
            first, last = min(first, low), max(last, high)
        seen[id(node)] = first, last
        stack.pop()
    return seen[id(root)]


def _sure_parts(value: Value) -> Value:
    """`value` without pieces of what unseen code gave: such a piece need not carry its graph."""
    if isinstance(value, ListV):
        return ListV(value.kind, [one for one in value.items[-8:] if not _is_piece(one)], value.exact)
    return value


def _is_piece(value: Value) -> bool:
    return isinstance(value, Unknown) and value.acts_as is None and value.reason in ("item", "attribute")


def _record(m: Machine, loop: Activation, entry: Stored, value: Value, old: list[Node]) -> None:
    real = [node for node in old if node.grounded]
    if isinstance(value, ListV) and value.limit is not None:
        return
    reached = ancestors(cast("list[Node | Leaf]", real))
    certain = any(not leaf.opaque and leaf.requires_grad for leaf in reached.leaves)
    how = cast("Literal['sum', 'carried', 'container', 'write']", entry.how or "carried")
    # What hangs on a graph from before the loop keeps little alive that is not alive anyway.
    outside = any(node.seq < loop.started for node in reached.nodes)
    event = Kept(
        site=entry.site,
        stack=entry.stack,
        turn=m.turn,
        seq=m.tick(),
        how=how,
        tensor=value if isinstance(value, Tensor) else None,
        nodes=real,
        loop=loop.site,
        inner=outside
        or any(isinstance(f.receiver, Instance) and f.receiver.module is not None for f in m.frames),
        freed=any(node.freed is not None and node.freed.kind == "backward" for node in real),
        holder=entry.holder or _holder(entry.node),
        value=entry.value,
        scalar=_is_scalar(value),
        trained=m.newest_backward > loop.started,
        confidence=Confidence.CERTAIN if certain else Confidence.LIKELY,
    )
    m.record(event)


def _is_scalar(value: Value | None) -> bool:
    """Whether a tensor of one element is kept, or a container of such."""
    for _ in range(MAX_NESTING):  # a list may hold itself
        if not isinstance(value, (ListV, DictV)):
            break
        items = value.items if isinstance(value, ListV) else [*value.items.values(), *value.rest]
        value = items[-1] if items else None
    if isinstance(value, Unknown):
        return _is_scalar(value.acts_as)
    return isinstance(value, Tensor) and value.numel is Numel.ONE


def _comes_again(event: Backward) -> bool:
    """Whether the next turn of a long loop, which is not run, walks the same graph, older than the loop.

    A backward that comes in the loop's last turn alone has no later one on the path.
    """
    return any(
        not turn.loop.bounded and turn.index > 0 and any(node.seq < turn.loop.started for node in event.nodes)
        for turn in chain(event.turn)
    )


def settle(m: Machine) -> None:
    """At the path's end: forgive what a backward came for later, mark what got away.

    A backward that comes for a part of the graph that what is kept hangs on keeps that alive anyway.
    """
    walked: dict[int, int] = {}
    carried: set[int] = set()
    away = {id(node) for node in ancestors(list(m.escaped.values())).nodes}
    for event in m.trace.events:
        if isinstance(event, Backward):
            for node in event.nodes:
                walked[id(node)] = event.seq
            carried.update(id(node) for node in event.carried)
            carried.update(id(second.node) for second in (*event.raises, *event.silent))
            event.escaped = any(id(node) in away for node in event.nodes) or _comes_again(event)
    for event in m.trace.events:
        if isinstance(event, Kept):
            graph = ancestors(cast("list[Node | Leaf]", event.nodes)).nodes
            later = any(walked.get(id(node), -1) > event.seq for node in graph)
            if later or any(id(node) in carried for node in event.nodes):
                event.nodes = []
            event.escapes = not event.freed and any(id(node) in away for node in event.nodes)
