"""The machine's state on one path, and what every transfer function does with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence, Site
from lintgrad.machine import autograd, protocol
from lintgrad.machine.choices import BudgetError, Choice, Choices
from lintgrad.machine.frames import Environment
from lintgrad.machine.graph import Leaf, Node, Saved, Storage, Ungraphed
from lintgrad.machine.observations import Backward, Event, Here, Trace
from lintgrad.machine.program import Program
from lintgrad.machine.values import (
    ClassV,
    Deferred,
    DictV,
    FileV,
    FunctionV,
    GradOf,
    Instance,
    LibV,
    ListV,
    Lit,
    ModuleV,
    Numel,
    OptimizerV,
    Symbol,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from lintgrad.machine.frames import Frame
    from lintgrad.machine.keeping import Stores
    from lintgrad.machine.library import Library
    from lintgrad.machine.turns import Turn
    from lintgrad.machine.units import Derived
    from lintgrad.program import nodes
    from lintgrad.program.effects import Effects

MAX_SOURCES = 24


class Machine:
    """One path: it owns the events, the grad mode, the turn, and the clock that orders all.

    Transfer functions (statements, expressions, models) take the machine first and work on it;
    it has no knowledge of syntax or of libraries itself.
    """

    def __init__(
        self, program: Program, library: Library, choices: Choices, trace: Trace, steps: int
    ) -> None:
        self.program = program
        self.library = library
        self.choices = choices
        self.trace = trace
        self.steps = steps
        self.seq = 0
        self.turn: Turn | None = None
        self.grad = True
        self.grad_off: Site | None = None
        self.frames: list[Frame] = []
        self.wild: list[Leaf] = []
        self.escaped: dict[int, Node | Leaf] = {}
        self.touched_all = -1
        self.newest_backward = -1
        self.stores: list[Stores] = []
        self.foreign_graph = -1
        self.periodic = 0
        self.asked_periodic = False
        self.counting = 0
        self.asked_count = False
        self.asked_mode = False
        self.guarded = 0
        self.scaling = False
        self.autocast: Site | None = None
        self.wrapped = 0
        self.decided: dict[tuple[int, str], Choice] = {}
        self.seeded_by_rank = False
        self.wild_touched = -1
        self.imported = 0
        self.outside: dict[str, Unknown] = {}
        self.entered: set[int] = set()
        self.opened: set[str] = set()
        self.settled: dict[Deferred, Value] = {}
        self.derived: dict[int, Derived] = {}

    # --- the clock, places -----------------------------------------------------------------------

    def tick(self) -> int:
        """The next moment."""
        self.seq += 1
        return self.seq

    def spend(self, steps: int = 1) -> None:
        """Count one statement, or what takes the time of one, against the budget.

        What walks values that hold values spends for each, as they may hold one another many times.
        """
        self.steps -= steps
        if self.steps < 0:
            self.trace.stopped = (self.frames[-1].name, self.stack[-1] if self.stack else None)
            raise BudgetError

    @property
    def frame(self) -> Frame:
        """The innermost activation."""
        return self.frames[-1]

    def site(self, node: nodes.Node) -> Site:
        """The place of `node`, which belongs to the running frame's file."""
        known = self.program.sites.get(id(node))
        if known is None:
            # The node is kept with its site, so that no other gets its id.
            known = self.program.sites[id(node)] = (node, Site(self.frames[-1].path, node.origin))
        return known[1]

    @property
    def effects(self) -> Effects:
        """What the code of the running frame's file could do."""
        return self.program.effects_in(self.frames[-1].path)

    @property
    def stack(self) -> tuple[Site, ...]:
        """The call sites that led here, the outermost first."""
        return self.frames[-1].stack

    def here(self, node: nodes.Node) -> Here:
        """What an event at `node` has that happens now."""
        return {"site": self.site(node), "stack": self.stack, "turn": self.turn, "seq": self.tick()}

    def record(self, event: Event) -> None:
        """Put `event` on the path."""
        self.trace.events.append(event)
        if event.__class__ is Backward and event.kind == "backward":
            self.newest_backward = max(self.newest_backward, event.seq)

    def remark(self, node: nodes.Node, text: str) -> None:
        """Note where the machine gave up or guessed, for `lintgrad show`."""
        if len(self.trace.remarks) < 40:
            self.trace.remarks.append((self.site(node), text))

    # --- tensors and nodes -----------------------------------------------------------------------

    def switch_grad(self, on: bool, site: Site | None) -> None:
        """Turn gradients on or off; where they are off already, the first place is to blame."""
        if self.grad and not on:
            self.grad_off = site
        self.grad = on

    def ungraphed(
        self, node: nodes.Node, tapes: Iterable[Node | Leaf], given: Iterable[Tensor]
    ) -> tuple[Ungraphed, ...]:
        """What a result of `given` has missed while gradients were off, up to a number."""
        found: tuple[Ungraphed, ...] = ()
        for tensor in given:
            if tensor.ungraphed and tensor.ungraphed is not found:
                found = (
                    tuple({id(u): u for u in (*found, *tensor.ungraphed)}.values())
                    if found
                    else tensor.ungraphed
                )
        missed = () if self.grad else tuple(tapes)
        if missed and len(found) < MAX_SOURCES:
            found = (*found, Ungraphed(self.grad_off, self.site(node), missed))
        return found

    def storage(self, name: str = "") -> Storage:
        """New memory."""
        return Storage(name, self.seq)

    def tensor(
        self,
        node: nodes.Node,
        *,
        inputs: Iterable[Node | Leaf] = (),
        op: str = "",
        saved: Iterable[Tensor] = (),
        keeps: bool | None = True,
        keeps_result: bool = False,
        numel: Numel = Numel.UNKNOWN,
        confidence: Confidence = Confidence.CERTAIN,
    ) -> Tensor:
        """The result of operation `op`: with a node when gradients are on and an input needs one."""
        result = Tensor(self.storage(), numel=numel, site=self.site(node))
        sources = tuple(inputs) if self.grad else ()
        if sources:
            watched = [Saved(t.storage, t.storage.version) for t in saved]
            if keeps_result:
                watched.append(Saved(result.storage, result.storage.version))
            result.node = self.node(op, node, sources, tuple(watched), keeps, confidence)
        return result

    def node(
        self,
        op: str,
        at: nodes.Node,
        inputs: tuple[Node | Leaf, ...],
        saved: tuple[Saved, ...] = (),
        keeps: bool | None = True,
        confidence: Confidence = Confidence.CERTAIN,
        *,
        opaque: bool = False,
    ) -> Node:
        """A new node of the graph, made here and now."""
        grounded = False
        for one in inputs:
            if one.__class__ is Node:
                one.used = True
                grounded = grounded or one.grounded
            else:
                grounded = True
        return Node(
            op,
            self.site(at),
            self.stack,
            self.turn,
            self.tick(),
            inputs,
            saved,
            keeps,
            opaque,
            confidence,
            grounded,
        )

    def leaf_tensor(
        self, node: nodes.Node, name: str, *, parameter: bool, requires_grad: bool = True
    ) -> Tensor:
        """A new leaf: a parameter, or a tensor made with requires_grad."""
        storage = self.storage(name)
        leaf = Leaf(name, self.site(node), storage, requires_grad, is_parameter=parameter, born=self.tick())
        leaf.tensor = Tensor(storage, leaf=leaf, site=leaf.site, name=name)
        return leaf.tensor

    def as_tensor(self, value: Value | None, node: nodes.Node) -> Tensor | None:
        """`value` as a tensor, where it is one or may be one; an unknown one is made a tensor once."""
        if isinstance(value, Tensor):
            return value
        if isinstance(value, Unknown):
            if isinstance(value.acts_as, Tensor):
                return value.acts_as
            if value.acts_as is None:
                value.acts_as = self._tensor_of_unknown(value, node)
                return value.acts_as
        if isinstance(value, GradOf):
            return self._tensor_of_gradient(value, node)
        return None

    def _tensor_of_gradient(self, value: GradOf, node: nodes.Node) -> Tensor:
        """`p.grad` as a tensor: it has a graph when the backward that made it was to create one."""
        result = Tensor(self.storage(), site=value.site)
        made = value.leaf.gradients[-1].backward if value.leaf.gradients else None
        if made is not None and made.create is not False and made.tapes and self.grad:
            result.node = self.node("grad", node, tuple(made.tapes), keeps=None)
        return result

    def _tensor_of_unknown(self, value: Unknown, node: nodes.Node) -> Tensor:
        result = Tensor(self.storage(value.place), site=value.site, name=value.place)
        if value.sources and value.reason in ("item", "attribute", "element"):
            # A part of something that carries a graph need not carry it itself.
            result.node = self.node("item", node, value.sources, keeps=False, confidence=Confidence.LIKELY)
            result.node.grounded = False
            result.node.unseen = value.place.endswith("']")  # a dict's values may well be of two networks
        elif len(value.sources) == 1 and isinstance(value.sources[0], Node):
            result.node = value.sources[0]
        elif value.sources:
            result.node = self.node(
                "call", node, value.sources, keeps=value.keeps, confidence=Confidence.LIKELY
            )
            if value.site is not None:
                result.node.site = value.site
        elif value.leaves and self.grad:
            result.node = self.node("call", node, value.leaves, keeps=None, confidence=Confidence.LIKELY)
        elif value.foreign:
            result.node = self.node("outside", node, (), opaque=True, confidence=Confidence.POSSIBLE)
        result.doubt = True
        return result

    def sources(self, *values: Value | None) -> list[Node | Leaf]:
        """The graph nodes and leaves that `values` carry, containers and unknowns included."""
        found: dict[int, Node | Leaf] = {}
        for value in reversed(values):  # mostly there are tensors and what has no graph
            if value.__class__ is Tensor:
                tape = value.tape
                if tape is not None:
                    found[id(tape)] = tape
            elif value.__class__ not in _GRAPHLESS:
                break
        else:
            return list(found.values())[:MAX_SOURCES]
        return self._sources_within(values)

    def _sources_within(self, values: tuple[Value | None, ...]) -> list[Node | Leaf]:
        """As `sources`, for what holds other values."""
        found: dict[int, Node | Leaf] = {}
        todo: list[tuple[Value | None, int]] = [(v, 0) for v in values if v.__class__ not in _GRAPHLESS]
        seen: set[int] = set()
        while todo and len(found) < MAX_SOURCES:
            value, depth = todo.pop()
            key = id(value)
            if key in seen:
                continue
            seen.add(key)
            if isinstance(value, Tensor):
                tape = value.tape
                if tape is not None:
                    found[id(tape)] = tape
            elif isinstance(value, Unknown):
                if isinstance(value.acts_as, Tensor):
                    todo.append((value.acts_as, depth))
                else:
                    found.update((id(s), s) for s in value.sources)
            elif depth < 4:
                todo.extend((v, depth + 1) for v in _parts(value))
        return list(found.values())

    def output(
        self, node: nodes.Node, result: Unknown, inputs: Iterable[Node | Leaf], op: str, *, seen: bool = True
    ) -> None:
        """Let `result`, which was made of `inputs`, hang in the graph as one operation.

        What code that is not `seen` makes of parameters alone may as well be data.
        """
        tapes = tuple({id(i): i for i in inputs}.values())
        if tapes and self.grad:
            made = self.node(op, node, tapes, keeps=result.keeps, confidence=Confidence.LIKELY)
            if not seen:
                made.grounded = any(isinstance(i, Node) and i.grounded for i in tapes)
            result.sources = (made,)

    def unknown(
        self,
        node: nodes.Node,
        reason: str,
        *carried: Value | None,
        foreign: bool = False,
        place: str = "",
    ) -> Unknown:
        """A value that may carry the graph of `carried`; `foreign` when it may bring one of its own."""
        sources = tuple(self.sources(*carried)) if carried and self.grad else ()
        return Unknown(reason, self.site(node), sources, foreign=foreign and self.grad, place=place)

    # --- autograd and the training protocol ------------------------------------------------------

    backward = autograd.backward
    write = autograd.write
    sever = autograd.sever
    rewrite = autograd.rewrite
    clear = protocol.clear
    step = protocol.step
    touch = protocol.touch
    escape = protocol.escape
    leaves_of = protocol.leaves_of

    def environment(self, outer: Environment | None, *, is_class: bool = False) -> Environment:
        """A new scope inside `outer`, born now."""
        module = (outer.module or outer) if outer is not None else None
        return Environment({}, outer, module, is_class, self.tick())


_GRAPHLESS = frozenset((Lit, Symbol, LibV, FileV, Deferred, FunctionV, ClassV, OptimizerV, type(None)))


def _parts(value: Value | None) -> list[Value]:
    """What a container or an object of the program holds that can carry a graph."""
    match value:
        case ListV():
            return value.items[-8:]
        case DictV():
            return [*value.items.values(), *value.rest][-8:]
        case Instance() if value.module is None:
            return list(value.members.values())[:12]
        case ModuleV() | OptimizerV():
            return []
        case _:
            return []
