"""Abstract values: what a name can hold while the machine runs.

A value is compared by identity, as objects are; `Lit` alone stands for its constant.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from lintgrad.diagnostics import Confidence, Site

if TYPE_CHECKING:
    from lintgrad.machine.contents import Content
    from lintgrad.machine.definitions import Definitions
    from lintgrad.machine.engines import EngineV
    from lintgrad.machine.frames import Environment
    from lintgrad.machine.graph import Leaf, Node, Storage, Ungraphed
    from lintgrad.machine.observations import Event
    from lintgrad.machine.turns import Turn
    from lintgrad.program import nodes


class Numel(enum.Enum):
    """Whether a tensor has exactly one element."""

    ONE = "one"
    MANY = "many"
    UNKNOWN = "unknown"


@dataclass(slots=True, eq=False)
class Value:
    """Any abstract value."""


@dataclass(slots=True, eq=False)
class Lit(Value):
    """A constant: int, float, complex, str, bytes, bool, None or Ellipsis."""

    value: object


@dataclass(slots=True, eq=False)
class Mode(Lit):
    """Whether a module is in train mode, as code asks that hangs on it."""


NONE = Lit(None)
TRUE = Lit(True)
FALSE = Lit(False)


@dataclass(slots=True, eq=False)
class Symbol(Value):
    """A number that differs from turn to turn.

    `index` counts the turns of the loop of `turn` from `offset`; `counter` is one that the program
    counts up itself; `periodic` is an index or a counter modulo `modulus`; `number` is any other
    number, with `cut` where it was read from a tensor. `facts` are the comparisons decided on it.
    """

    kind: Literal["index", "counter", "periodic", "number"]
    turn: Turn | None = None
    offset: int = 0
    modulus: Value | None = None
    cut: Cut | None = None
    facts: dict[str, bool] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Unknown(Value):
    """A value of which only its origins are known.

    `sources` are the graph nodes and leaves that flowed in: it may be a tensor that carries them.
    `foreign` says that it came from code that could have built a graph of its own, on `leaves`
    perhaps. `facts` are the conditions decided
    on it; `members` and `items` make reading the same attribute twice give the same value.
    """

    reason: str
    site: Site | None = None
    sources: tuple[Node | Leaf, ...] = ()
    foreign: bool = False
    facts: dict[str, bool] = field(default_factory=dict)
    members: dict[str, Value] = field(default_factory=dict)
    place: str = ""
    acts_as: Value | None = None
    keeps: bool | None = None
    leaves: tuple[Leaf, ...] = ()
    holds: Value | None = None


@dataclass(slots=True, eq=False)
class Cut:
    """Where a tensor lost its graph, how, and the tensor that had it."""

    site: Site
    how: str
    source: Tensor


@dataclass(slots=True, eq=False)
class Tensor(Value):
    """A tensor: its place in the graph, its memory, what is known of its shape and content.

    It requires a gradient when it has a node, or a leaf that requires one. `terms` are tensors
    without graph that were added in since the last op that is not linear; `base` is what it is a view of.
    `doubt` says that it came from a value whose graph is not known; `ungraphed` is what went into it
    while gradients were off.
    """

    storage: Storage
    node: Node | None = None
    leaf: Leaf | None = None
    numel: Numel = Numel.UNKNOWN
    shape: tuple[int, ...] | None = None
    integer: bool = False
    cut: Cut | None = None
    terms: tuple[Tensor, ...] = ()
    view: bool = False
    base: Tensor | None = None
    silent_writes: bool = False
    born: int = -1
    rebound: Event | None = None
    keeps_grad: bool = False
    doubt: bool = False
    ungraphed: tuple[Ungraphed, ...] = ()
    content: Content | None = None
    site: Site | None = None
    name: str = ""

    @property
    def tape(self) -> Node | Leaf | None:
        """What backward would start from: the node, or the leaf that requires a gradient."""
        if self.node is not None:
            return self.node
        if self.leaf is not None and self.leaf.requires_grad:
            return self.leaf
        return None


@dataclass(slots=True, eq=False)
class GradOf(Value):
    """`tensor.grad`."""

    leaf: Leaf
    site: Site | None = None


ListKind = Literal["tuple", "list", "set", "deque"]


@dataclass(slots=True, eq=False)
class ListV(Value):
    """A tuple, list, set or deque; `exact` when `items` are all of its elements in order.

    `whole` when they are all parameters of a module, of which one may stand for many.
    """

    kind: ListKind
    items: list[Value]
    exact: bool = True
    born: int = 0
    limit: int | None = None
    whole: bool = False


@dataclass(slots=True, eq=False)
class DictV(Value):
    """A dict by constant key; `rest` stands for the values of keys that are not known."""

    items: dict[object, Value]
    exact: bool = True
    rest: list[Value] = field(default_factory=list)
    factory: Value | None = None
    born: int = 0


@dataclass(slots=True, eq=False)
class Range(Value):
    """`range(...)`, `enumerate`, `zip` and other lazily walked things with a known element maker."""

    kind: Literal["range", "enumerate", "zip", "map", "filter", "reversed", "items", "values", "keys"]
    parts: tuple[Value, ...]
    length: int | None = None


@dataclass(slots=True, eq=False)
class Iterator(Value):
    """`iter(x)`: `position` counts what `next` has taken."""

    source: Value
    position: int = 0


@dataclass(slots=True, eq=False)
class ModuleState:
    """What makes a value an nn.Module.

    `opaque` when its layers are not known; then `opaque_leaf` stands for its parameters. `replica` is
    where a wrapper for several processes was put around it. `bare` as long as the class's `__init__` has
    not reached that of `nn.Module`.
    """

    parameters: dict[str, Tensor] = field(default_factory=dict)
    buffers: dict[str, Tensor] = field(default_factory=dict)
    children: dict[str, Value] = field(default_factory=dict)
    hooks: list[Value] = field(default_factory=list)
    training: bool | None = True
    turned: Event | None = None
    opaque: bool = False
    opaque_leaf: Leaf | None = None
    replica: Event | None = None
    bare: bool = False
    confidence: Confidence = Confidence.CERTAIN


@dataclass(slots=True, eq=False)
class ModuleV(Value):
    """A module of a library: a layer (`kind` is its class's name), a container, or an opaque one."""

    kind: str
    state: ModuleState
    items: list[Value] = field(default_factory=list)
    options: dict[str, Value] = field(default_factory=dict)
    members: dict[str, Value] = field(default_factory=dict)
    exact: bool = True
    name: str = ""
    born: int = 0
    site: Site | None = None


@dataclass(slots=True, eq=False)
class OptimizerV(Value):
    """An optimizer and the leaves it holds; `complete` when these are all of them.

    `born` tells when it was built, at `site`; `engine` is the framework's object that it was handed to.
    """

    kind: str
    leaves: list[Leaf]
    complete: bool = True
    opaque: bool = False
    groups: ListV | None = None
    touched: int = -1
    name: str = ""
    members: dict[str, Value] = field(default_factory=dict)
    confidence: Confidence = Confidence.CERTAIN
    site: Site | None = None
    born: int = 0
    engine: EngineV | None = None


@dataclass(slots=True, eq=False)
class ContextV(Value):
    """A context manager that the machine knows: `grad` is the grad mode in it, None for no change."""

    kind: str
    grad: bool | None = None
    target: Value | None = None
    site: Site | None = None


@dataclass(slots=True, eq=False)
class FunctionV(Value):
    """A function of the program with the environment it closes over."""

    definition: nodes.FunctionDef
    env: Environment
    path: str
    defaults: dict[str, Value]
    owner: ClassV | None = None
    wrappers: tuple[Value, ...] = ()
    attributes: dict[str, Value] = field(default_factory=dict)
    kind: Literal["function", "static", "class", "property", "context"] = "function"


@dataclass(slots=True, eq=False)
class BoundV(Value):
    """A method bound to its receiver; `function` is a FunctionV, or the name of a library's method."""

    receiver: Value
    function: FunctionV | str


@dataclass(slots=True, eq=False)
class PartialV(Value):
    """`functools.partial(function, *args, **kwargs)`."""

    function: Value
    args: Arguments


@dataclass(slots=True, eq=False)
class ClassV(Value):
    """A class of the program; `bases` may hold `LibV`s and Unknowns."""

    definition: nodes.ClassDef
    env: Environment
    path: str
    bases: tuple[Value, ...]
    members: dict[str, Value]
    order: tuple[Value, ...] = ()
    fields: tuple[str, ...] = ()
    record: Literal["", "dataclass", "namedtuple"] = ""


@dataclass(slots=True, eq=False)
class Instance(Value):
    """An instance of a class of the program; `module` when the class is an nn.Module."""

    cls: ClassV
    members: dict[str, Value] = field(default_factory=dict)
    module: ModuleState | None = None
    name: str = ""
    facts: dict[str, bool] = field(default_factory=dict)
    born: int = 0


@dataclass(slots=True, eq=False)
class SuperV(Value):
    """`super()` inside a method of `owner`."""

    receiver: Value
    owner: ClassV


@dataclass(slots=True, eq=False)
class LibV(Value):
    """Something of a library by its qualified name: `torch.nn.Linear`, `builtins.len`, `numpy`."""

    name: str


@dataclass(slots=True, eq=False)
class FileV(Value):
    """A module of the linted tree: its file, the name that it was first imported by, its namespace.

    `base` is there once its definitions have been run; a path that asks for it makes `env` anew.
    """

    path: str
    name: str
    env: Environment
    base: Definitions | None = None


@dataclass(slots=True, eq=False)
class Deferred(Value):
    """What `from file import name` bound, not looked up until it is asked for.

    `otherwise` is what it is where the file has no such name.
    """

    file: FileV
    name: str
    otherwise: Value


@dataclass(slots=True, eq=False)
class GeneratorV(Value):
    """A call of a generator function that has not run yet: it runs as it is iterated over."""

    function: FunctionV
    args: Arguments
    receiver: Value | None = None


@dataclass(slots=True, eq=False)
class ExceptionV(Value):
    """An exception instance; `kind` is its class's name."""

    kind: str
    cls: Value | None = None


@dataclass(slots=True, eq=False)
class Arguments:
    """The evaluated arguments of a call; `extra` are the values of `*x` / `**x` that are not known."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    extra: list[Value] = field(default_factory=list)

    def get(self, index: int, keyword: str | None = None) -> Value | None:
        """The argument at `index`, or the one named `keyword`."""
        if index < len(self.positional):
            return self.positional[index]
        return self.keywords.get(keyword) if keyword is not None else None

    @property
    def first(self) -> Value:
        """The first positional argument; None's value where there is none."""
        return self.positional[0] if self.positional else NONE

    def all(self) -> list[Value]:
        """Every argument's value."""
        return [*self.positional, *self.keywords.values(), *self.extra]
