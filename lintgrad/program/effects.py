"""What a piece of the program could do that a rule can see, told from its words alone.

This decides which branches are worth a path of their own and which functions are worth a root; it
over-approximates, by name, and never decides a finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from lintgrad.program.nodes import (
    Assign,
    Attribute,
    AugAssign,
    Block,
    Break,
    Call,
    Const,
    Continue,
    Expr,
    ExprStmt,
    FunctionDef,
    If,
    Lambda,
    Module,
    Name,
    Node,
    Raise,
    Return,
    Scope,
    Sequence,
    Yield,
)
from lintgrad.program.text import text
from lintgrad.program.walk import descend

EVENTS = frozenset(
    """
    backward manual_backward step zero_grad grad zero_ detach detach_ detach_hidden repackage_hidden
    no_grad inference_mode set_grad_enabled enable_grad requires_grad requires_grad_ retain_graph
    scale unscale_ clip_grad_norm_ clip_grad_value_ data training_step fill_ copy_ add_ mul_ sub_
    div_ clamp_ set_to_none
    """.split()
)
PARALLEL = frozenset(
    """
    DistributedDataParallel DDP DistributedSampler set_epoch init_process_group
    all_reduce all_gather broadcast barrier
    """.split()
)
ROOTS = EVENTS - {"data", "copy_", "fill_", "scale", "no_grad", "requires_grad"}

_SEEN = EVENTS | PARALLEL
_SKIP_EXIT = ("raise",)


class Effects:
    """The events that each function, block and branch of one file could cause."""

    def __init__(self, module: Module) -> None:
        self._functions: dict[str, frozenset[str]] = {}
        self._branches: dict[int, tuple[bool, int]] = {}
        self._stepping: dict[int, tuple[bool, bool]] = {}
        self._module = module
        self._close(module)

    def _close(self, module: Module) -> None:
        """Let each function have the events of those it names."""
        words: dict[str, set[str]] = {}
        for function in module.functions:
            words.setdefault(function.name, set()).update(_words(function))
        for cls in module.classes:
            names = [s.name for s in cls.body if isinstance(s, FunctionDef)]
            made = set().union(
                *(words.get(n, set()) for n in ("__init__", "forward", "__call__") if n in names)
            )
            words.setdefault(cls.name, set()).update(made)
        events = {name: found & _SEEN for name, found in words.items()}
        callers: dict[str, list[str]] = {name: [] for name in words}
        for name, found in words.items():
            for word in found & words.keys():
                callers[word].append(name)
        grown = [name for name, found in events.items() if found]
        while grown:
            name = grown.pop()
            for caller in callers[name]:
                if not events[name] <= events[caller]:
                    events[caller] |= events[name]
                    grown.append(caller)
        self._functions = {name: frozenset(found) for name, found in events.items()}

    def of_function(self, function: FunctionDef) -> frozenset[str]:
        """The events that `function` could cause, through what it calls too."""
        return self._functions.get(function.name, frozenset())

    def named(self, name: str) -> frozenset[str]:
        """The events that the function or class `name` could cause."""
        return self._functions.get(name, frozenset())

    def learn(self, name: str, events: frozenset[str]) -> None:
        """What another file's function could cause, which this one calls `name`."""
        if events:
            self._functions[name] = self.named(name) | events

    def of(self, *parts: Node) -> frozenset[str]:
        """The events of a piece of code."""
        found: set[str] = set()
        looked_at: set[int] = set()
        for part in parts:
            for node in descend(part, into_functions=False):
                if node.__class__ is ExprStmt:
                    looked_at.update(_looked_at(node))
                elif id(node) in looked_at:
                    continue
                word = node.attr if isinstance(node, Attribute) else node.id if isinstance(node, Name) else ""
                if word in _SEEN or (isinstance(node, Assign) and _keeps_state(node)):
                    found.add(word or "state_dict")
                elif word in self._functions:
                    found |= self._functions[word]
        return frozenset(found)

    def weighed(self, stmt: If) -> bool:
        """Whether `branch` has answered for `stmt`."""
        return id(stmt) in self._branches

    def branch(self, stmt: If) -> tuple[bool, int]:
        """The arm to take first where the condition is open, and how much the other arm is worth.

        The first arm is the one that goes on, or does more. 3: the arms differ in events; 2: one
        leaves; 1: they bind different places; 0: nothing that a rule sees.
        """
        known = self._branches.get(id(stmt))
        if known is None:
            known = self._branches[id(stmt)] = self._weigh(stmt)
        return known

    def _weigh(self, stmt: If) -> tuple[bool, int]:
        body, orelse = self.of(*stmt.body), self.of(*stmt.orelse)
        leaves, other_leaves = _exit(stmt.body), _exit(stmt.orelse)
        default = len(body) >= len(orelse)
        if leaves and not other_leaves:
            default = False
        elif other_leaves and not leaves:
            default = True
        not_taken = leaves if not default else other_leaves
        if not_taken in _SKIP_EXIT:
            return default, 0
        if body != orelse:
            return default, 3
        if leaves != other_leaves:
            return default, 2
        bound = _bound(stmt.body) ^ _bound(stmt.orelse)
        return default, 1 if any(not self._is_private(place, stmt) for place in bound) else 0

    def _is_private(self, place: str, stmt: If) -> bool:
        """Whether nothing outside of `stmt` names what it binds."""
        return _names_of(self._module)[place] == _named(stmt)[place]

    def steps(self, stmt: If, *, taken: bool) -> bool:
        """Whether the arm of `stmt` that is taken, or the other one, could step an optimizer."""
        known = self._stepping.get(id(stmt))
        if known is None:
            known = self._stepping[id(stmt)] = "step" in self.of(*stmt.body), "step" in self.of(*stmt.orelse)
        return known[0] if taken else known[1]

    def gain_of_block(self, block: Block) -> int:
        """How much it is worth to run `block` on a path of its own."""
        return 3 if self.of(*block) else 1

    def gain_of_expressions(self, left: Expr, right: Expr) -> int:
        """How much the two arms of a conditional expression differ."""
        return 3 if self.of(left) != self.of(right) else 0


def _keeps_state(stmt: Assign) -> bool:
    """Whether a module's state is given a name: what saves or loads it at once changes nothing."""
    return any(isinstance(node, Attribute) and node.attr == "state_dict" for node in descend(stmt.value))


def _exit(block: Block) -> str:
    """How the block surely leaves the code around it, or ''."""
    last = block[-1] if block else None
    match last:
        case Return():
            return "return"
        case Raise():
            return "raise"
        case Break():
            return "break"
        case Continue():
            return "continue"
        case ExprStmt(value=Call(func=Attribute(attr="exit") | Name(id="exit" | "quit"))):
            return "raise"
        case _:
            return ""


def _words(function: FunctionDef) -> frozenset[str]:
    """The words of a function, without `data` where it only has a look at what that leads to."""
    words = function.words
    if "data" in words and not _acts_on_data(function):
        return words - {"data"}
    return words


def _acts_on_data(function: FunctionDef) -> bool:
    """Whether a function writes to some `x.data`, or lets what it takes out of the graph out of its hands."""
    keeps_to_itself = True
    written: set[int] = set()
    looked_at: set[int] = set()
    met: set[int] = set()
    for node in descend(function):
        match node:
            case ExprStmt():
                looked_at.update(_looked_at(node))
            case Return(value=value):
                keeps_to_itself = keeps_to_itself and (value is None or isinstance(value, Const))
            case Yield() | Lambda() | Scope():
                keeps_to_itself = False
            case Assign() | AugAssign():
                targets = node.targets if isinstance(node, Assign) else (node.target,)
                keeps_to_itself = keeps_to_itself and all(isinstance(t, (Name, Sequence)) for t in targets)
            case Call(func=Attribute(value=receiver, attr=attr)) if attr.endswith("_"):
                written.add(id(receiver))
            case Attribute(attr="data"):
                met.add(id(node))
    return bool(met & written) or (not keeps_to_itself and not met <= looked_at)


def _looked_at(stmt: ExprStmt) -> Iterator[int]:
    """The `x.data` that are handed to a call whose result is dropped: nothing comes of the cut graph.

    One that is written to is an event all the same: `f(x.data.clamp_(0, 1))`.
    """
    if not isinstance(stmt.value, Call):
        return
    for argument in stmt.value.arguments:
        written: set[int] = set()
        for node in descend(argument.value, into_functions=False):
            if isinstance(node, Call) and isinstance(node.func, Attribute) and node.func.attr.endswith("_"):
                written.add(id(node.func.value))
            elif isinstance(node, Attribute) and node.attr == "data" and id(node) not in written:
                yield id(node)


@lru_cache(maxsize=64)
def _names_of(module: Module) -> Counter[str]:
    """The names in a file, which many others may import."""
    return _named(*module.body)


def _named(*parts: Node) -> Counter[str]:
    """How often each name, and each attribute with its dot, stands in a piece of code."""
    found: Counter[str] = Counter()
    for part in parts:
        for node in descend(part):
            if isinstance(node, Name):
                found[node.id] += 1
            elif isinstance(node, Attribute):
                found["." + node.attr] += 1
    return found


def _is_moved(stmt: Assign) -> bool:
    """`x = x.cuda()`: the same value on a device."""
    match stmt.value:
        case Call(func=Attribute(value=receiver, attr="cuda" | "to" | "cpu")) if len(stmt.targets) == 1:
            return text(stmt.targets[0]) == text(receiver) != "..."
    return False


def _bound(block: Block) -> frozenset[str]:
    """The places that a block assigns, as text, where the value is more than a constant or a name."""
    found: set[str] = set()
    for stmt in block:
        for node in descend(stmt, into_functions=False):
            if isinstance(node, (Assign, AugAssign)) and not (isinstance(node, Assign) and _is_moved(node)):
                for target in node.targets if isinstance(node, Assign) else (node.target,):
                    if isinstance(target, Name):
                        found.add(target.id)
                    elif isinstance(target, Attribute):
                        found.add("." + target.attr)
    return frozenset(found)
