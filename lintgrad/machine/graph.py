"""The autograd graph: nodes, what they saved, leaves and the gradients in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence, Site

if TYPE_CHECKING:
    from lintgrad.machine.engines import EngineV
    from lintgrad.machine.observations import Backward, Clear, Event, Step
    from lintgrad.machine.turns import Turn
    from lintgrad.machine.values import Cut, Tensor, Value


@dataclass(slots=True, eq=False)
class Storage:
    """The memory that a tensor and its views share; each in-place write moves `version`.

    `name` is how the user would call it; `writers` are the events that moved the version, the
    newest last. `filled` says that its values were made elsewhere: loaded from a file, or copied; `silent`
    when it was last written past autograd, by `.data`.
    """

    name: str = ""
    born: int = 0
    version: int = 0
    writers: list[Event] = field(default_factory=list)
    filled: bool = False
    silent: int = -1

    def write(self, event: Event) -> None:
        """An in-place write by `event`."""
        self.version += 1
        self.writers.append(event)


@dataclass(slots=True, eq=False)
class Saved:
    """A tensor that a node kept for backward, with its storage's version at that time.

    It never changes. Freezing it would make it thrice as slow to make, and there is one for each tensor
    that each operation keeps.
    """

    storage: Storage
    version: int

    @property
    def writer(self) -> Event | None:
        """The event that moved the version since, the first one; None while it is unmoved."""
        if self.storage.version == self.version:
            return None
        moved = self.storage.version - self.version
        return self.storage.writers[-moved] if moved <= len(self.storage.writers) else None


@dataclass(slots=True, eq=False)
class Managed:
    """A parameter's module was handed to a framework's `engine`, whose backward is due from `seq` on."""

    engine: EngineV
    site: Site
    seq: int


@dataclass(slots=True, eq=False)
class Leaf:
    """A tensor whose `.grad` backward fills: a parameter, or one made with requires_grad=True.

    An opaque leaf stands for parameters that the machine does not see one by one; it is `given` where
    their module comes from a caller that is not seen either, who may have frozen them. It is `zeroed`
    while its gradient is there and all zero. `rewrapped` tells where a tensor that was made a leaf anew
    had lost its graph, `renewed` when its values were last set anew as a whole, `asked` that the program
    itself turned its gradient on. A `loose` one was made by a
    module's own code, which has not registered it, in its `forward` or a call from there if `in_forward`.
    """

    name: str
    site: Site | None
    storage: Storage
    requires_grad: bool = True
    opaque: bool = False
    given: bool = False
    is_parameter: bool = True
    gradients: list[Gradient] = field(default_factory=list)
    cleared: Clear | None = None
    zeroed: bool = False
    touched: int = -1
    renewed: int = -1
    asked: bool = False
    loose: bool = False
    in_forward: bool = False
    owner: object = None
    born: int = 0
    rewrapped: Cut | None = None
    tensor: Tensor | None = None
    managed: Managed | None = None
    replica: Event | None = None


@dataclass(slots=True, eq=False)
class Gradient:
    """What one backward added to the `.grad` of `leaf`; the first step that used it; whether it was read.

    Of a scaled loss, `unscaled` is what divided it by the scale, `outdated` the update that came before that.
    """

    backward: Backward
    applied: Step | None = None
    read: bool = False
    leaf: Leaf | None = None
    unscaled: Event | None = None
    outdated: Event | None = None


@dataclass(slots=True, eq=False)
class Node:
    """One differentiable operation on the tape.

    `keeps` says whether backward needs a saved tensor of it: a second backward through a freed
    node raises only then; None where it is not known. `saved` are those whose version is watched.
    An opaque node stands for a graph that came from outside: it is never freed. A node is `grounded`
    when it surely exists: a leaf is among its ancestors, or backward was called on it. `lost` tells of
    an input that `autograd.grad` had made without a graph. An `unseen` one stands for code that is not
    seen, and that may have cut what it was given out of the graph. It is `used` when another node was made
    of its result, or code that is not seen had that. `scaler` is the one that scaled a loss here.
    """

    op: str
    site: Site
    stack: tuple[Site, ...]
    turn: Turn | None
    seq: int
    inputs: tuple[Node | Leaf, ...]
    saved: tuple[Saved, ...] = ()
    keeps: bool | None = True
    opaque: bool = False
    confidence: Confidence = Confidence.CERTAIN
    grounded: bool = True
    unseen: bool = False
    lost: Cut | None = None
    summed: bool = False
    used: bool = False
    walked: Backward | None = None
    freed: Backward | None = None
    retained: list[Backward] = field(default_factory=list)
    scaler: Value | None = None


@dataclass(slots=True, eq=False)
class Ungraphed:
    """An operation that would have hung on `tapes`, had gradients not been turned off at `off`."""

    off: Site | None
    site: Site
    tapes: tuple[Node | Leaf, ...]


@dataclass(slots=True, eq=False)
class Walk:
    """The nodes and leaves that a backward from some roots would run, roots first."""

    nodes: list[Node]
    leaves: list[Leaf]


def ancestors(roots: list[Node | Leaf], since: int = -1, *, sure: bool = False) -> Walk:
    """All nodes made after `since` and leaves reachable from `roots` against the data's flow.

    With `sure` the way goes through grounded nodes alone.
    """
    nodes: list[Node] = []
    leaves: list[Leaf] = []
    seen: set[int] = set()
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        key = id(node)
        if key in seen:
            continue
        seen.add(key)
        if node.__class__ is Leaf:
            leaves.append(node)
        elif node.seq > since and (node.grounded or not sure):  # type: ignore[union-attr]  # no leaf
            nodes.append(node)  # type: ignore[arg-type]
            stack += node.inputs  # type: ignore[union-attr]
    return Walk(nodes, leaves)


def beyond_unseen(walk: Walk, roots: list[Node | Leaf]) -> frozenset[int]:
    """The nodes of `walk` that are reached only through code that is not seen.

    Where that code's own node has been run before, what lies behind it was reached by then.
    """
    if not any(node.unseen and node.freed is None for node in walk.nodes):
        return frozenset()
    open_to: set[int] = set()
    stack: list[Node | Leaf] = list(roots)
    while stack:
        node = stack.pop()
        if isinstance(node, Node) and id(node) not in open_to:
            open_to.add(id(node))
            if not node.unseen or node.freed is not None:
                stack.extend(node.inputs)
    return frozenset(id(node) for node in walk.nodes) - open_to


def between(roots: list[Node | Leaf], inputs: list[Node | Leaf]) -> Walk:
    """What `autograd.grad(roots, inputs)` runs: the nodes on some way from a root to an input.

    The input nodes themselves do not run.
    """
    full = ancestors(roots)
    wanted = {id(one) for one in inputs}
    leads: dict[int, bool] = {}
    for node in sorted(full.nodes, key=lambda n: n.seq):
        leads[id(node)] = any(id(i) in wanted or leads.get(id(i), False) for i in node.inputs)
    nodes = [node for node in _until(roots, wanted) if leads.get(id(node), False)]
    return Walk(nodes, [leaf for leaf in full.leaves if id(leaf) in wanted])


def _until(roots: list[Node | Leaf], wanted: set[int]) -> list[Node]:
    """Nodes reachable from `roots` without passing through a wanted one."""
    nodes: list[Node] = []
    seen: set[int] = set()
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        if isinstance(node, Leaf) or id(node) in seen or id(node) in wanted:
            continue
        seen.add(id(node))
        nodes.append(node)
        stack.extend(node.inputs)
    return nodes
