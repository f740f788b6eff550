"""What the machine saw: the events of each path, in order, for checks to read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict, TypeVar, cast

from lintgrad.diagnostics import Confidence, Site

if TYPE_CHECKING:
    from lintgrad.machine.graph import Gradient, Leaf, Node, Saved
    from lintgrad.machine.turns import Turn
    from lintgrad.machine.values import Tensor, Value


@dataclass(slots=True, eq=False, kw_only=True)
class Event:
    """Something that happened on a path.

    `seq` orders events and nodes of one path; `stack` holds the call sites that led here, the
    outermost first; `turn` the turn of the innermost loop around; `name` the receiver as the user
    wrote it.
    """

    site: Site
    stack: tuple[Site, ...]
    turn: Turn | None
    seq: int
    name: str = ""
    confidence: Confidence = Confidence.CERTAIN


class Here(TypedDict):
    """Where and when an event happens: what all events have."""

    site: Site
    stack: tuple[Site, ...]
    turn: Turn | None
    seq: int


@dataclass(slots=True, eq=False, kw_only=True)
class Second:
    """A node that a backward ran although an earlier one had freed it."""

    node: Node
    freed: Backward
    confidence: Confidence = Confidence.CERTAIN


@dataclass(slots=True, eq=False, kw_only=True)
class Stale:
    """A saved tensor whose version moved between the node's forward and its backward."""

    node: Node
    saved: Saved
    writer: Event
    confidence: Confidence = Confidence.CERTAIN


@dataclass(slots=True, eq=False, kw_only=True)
class Backward(Event):
    """`tensor.backward()`, `autograd.backward` or `autograd.grad`.

    `tapes` is where it started. `raises` are the freed nodes that had saved something, `silent`
    those that had not; `stale` the
    saved tensors that were written to; `carried` the nodes that an earlier turn of a loop made and
    an earlier backward ran with its graph kept. `needed` is set when a later backward walks a node
    that this one kept. `scaler` is the one that had scaled the loss,
    `autocast` where the mixed precision was entered that it runs in.
    """

    kind: Literal["backward", "grad"] = "backward"
    root: Tensor | None = None
    tapes: list[Node | Leaf] = field(default_factory=list)
    retain: bool | None = False
    create: bool | None = False
    explicit_gradient: bool = False
    nodes: list[Node] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    gradients: list[Gradient] = field(default_factory=list)
    raises: list[Second] = field(default_factory=list)
    silent: list[Second] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    carried: list[Node] = field(default_factory=list)
    needed: Backward | None = None
    escaped: bool = False
    graphless: bool = False
    own_gradient: bool = False
    constant_terms: list[Tensor] = field(default_factory=list)
    nonscalar: bool = False
    framework: bool = False
    scaler: Value | None = None
    autocast: Site | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Step(Event):
    """`optimizer.step()`.

    `again` are gradients that an earlier step had applied, `fresh` those it had not; `lost` the
    clear that took away gradients no step had used, when this step finds none; `sure` is false
    where unknown code may have touched the optimizer or its parameters since; `cleared` that its gradients
    were ever cleared, `periodic` that it stands under a condition that holds every n-th time;
    `scaler` the one that took the step.
    `framework` tells that a framework's object was asked for it. `counted` that it stands under a condition
    on a count of turns.
    """

    optimizer: object = None
    fresh: list[Gradient] = field(default_factory=list)
    again: list[Gradient] = field(default_factory=list)
    lost: Clear | None = None
    sure: bool = True
    complete: bool = True
    cleared: bool = False
    periodic: bool = False
    counted: bool = False
    framework: bool = False
    scaler: Value | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Clear(Event):
    """`zero_grad()` of an optimizer or module, `p.grad = None`, `p.grad.zero_()`."""

    optimizer: object = None
    unused: list[Gradient] = field(default_factory=list)
    periodic: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class InPlace(Event):
    """An in-place write; `leaf` when it hits a leaf (or a view of one) that requires grad.

    `carries` says that what is written has a graph.
    """

    op: str = ""
    leaf: Leaf | None = None
    carries: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Discarded(Event):
    """A call whose result is dropped although it has no other effect."""

    method: str = ""
    receiver: Value | None = None
    graph: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Uncalled(Event):
    """A method named as a statement and not called."""

    method: str = ""


@dataclass(slots=True, eq=False, kw_only=True)
class Kept(Event):
    """A tensor stored where it outlives the turn of `loop` that made it, growing with each turn.

    `how` is `sum`, `carried` (rebound), `container` or `write`; `inner` when it happened inside a
    module's own code or
    on a graph older than the loop; `trained` when the loop has backwards; `tensor` what was stored;
    `nodes` the older turns' nodes that are
    kept alive, none where the place did not grow on this path; `freed` whether backward has already
    freed some of them; `holder` names the place.
    """

    how: Literal["sum", "carried", "container", "write"] = "sum"
    tensor: Tensor | None = None
    nodes: list[Node] = field(default_factory=list)
    loop: Site | None = None
    freed: bool = False
    holder: str = ""
    escapes: bool = False
    inner: bool = False
    trained: bool = False
    value: Site | None = None
    scalar: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Forward(Event):
    """A call of a module that holds parameters, in mode `training`, which `turned` set last.

    `inner` where the forward of a module runs already.
    """

    module: Value | None = None
    grad: bool = True
    training: bool | None = True
    turned: Event | None = None
    inner: bool = False


AnyEvent = TypeVar("AnyEvent", bound=Event)


@dataclass(slots=True, eq=False)
class Trace:
    """One path: its root's name, its events in order, the conditions that were assumed.

    `origin` is the root's number among the functions of the file, -1 for the module's own code.

    `exhausted` when a budget cut it short: absence then proves nothing; `stopped` is the function that
    ran then, and the call that led there. `last` when no budget was left for the root's other paths.
    `raised` when an exception of the program's ended it.
    `wild` when it has an optimizer of which not all parameters are seen, `unseen_step` when code that is
    not seen may have stepped one. `step_arms` are the arms of branches in which a step may stand, and whether
    the path took them. `asked_last` when the program asks for a loop's last turn.
    """

    root: str
    origin: int = -1
    events: list[Event] = field(default_factory=list)
    assumed: list[tuple[Site, bool]] = field(default_factory=list)
    exhausted: bool = False
    wild: bool = False
    unseen_step: bool = False
    asked_last: bool = False
    step_arms: dict[tuple[Site, bool], bool] = field(default_factory=dict)
    remarks: list[tuple[Site, str]] = field(default_factory=list)
    confidence: Confidence = Confidence.CERTAIN
    stopped: tuple[str, Site | None] | None = None
    last: bool = False
    raised: bool = False
    unread: set[str] = field(default_factory=set)
    rank: int | None = None
    ranked: Site | None = None
    _sorted: int = 0
    _by_kind: dict[type[Event], list[Event]] = field(default_factory=dict)

    def note_unread(self, path: str) -> None:
        """An import leads to the file at `path`, which could not be read, or was one too many."""
        self.unread.add(path)

    def of(self, kind: type[AnyEvent]) -> Iterator[AnyEvent]:
        """The events of one kind, in order; sorted out once for all that ask after the path's end."""
        if self._sorted != len(self.events):
            self._sorted = len(self.events)
            self._by_kind.clear()
        found = self._by_kind.get(kind)
        if found is None:
            found = self._by_kind[kind] = [event for event in self.events if isinstance(event, kind)]
        return cast("Iterator[AnyEvent]", iter(found))


@dataclass(slots=True, eq=False)
class Run:
    """All paths of a program.

    `reached` has, by the root's number, the functions that its whole paths ran: path and number.
    """

    path: str
    traces: list[Trace] = field(default_factory=list)
    exhausted: bool = False
    reached: dict[int, frozenset[tuple[str, int]]] = field(default_factory=dict)

    def events(self, kind: type[AnyEvent]) -> Iterator[tuple[Trace, AnyEvent]]:
        """Each event of one kind with its path."""
        for trace in self.traces:
            for event in trace.of(kind):
                yield trace, event
