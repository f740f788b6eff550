"""What a scope's text says about the places it reads: gathered while its statements are lowered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from lintgrad.program.nodes import Attribute, Call, ClassDef, Expr, FunctionDef, Name, Parameter

ParameterKind = Literal["positional", "normal", "star", "keyword", "double"]

# What gives its caller the elements of its arguments, one by one.
_PASSING_ON = frozenset(
    {"enumerate", "islice", "iter", "list", "reversed", "sorted", "tqdm", "track", "tuple", "zip"}
)


@dataclass(slots=True)
class Definitions:
    """The functions and classes of one file, in the order of the text."""

    functions: list[FunctionDef] = field(default_factory=list)
    classes: list[ClassDef] = field(default_factory=list)


@dataclass(slots=True)
class Scope:
    """The gathering state of one function (or of the module level).

    `bound` are the names that the scope itself binds; a nested scope's uses of other names are
    uses of this scope's names too. `methods` gathers the functions of a class's body, and is None
    elsewhere.
    """

    definitions: Definitions
    uses: dict[str, set[str]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    is_generator: bool = False
    methods: list[FunctionDef] | None = None

    def use(self, value: Expr, how: str) -> None:
        """Note that `how` (an attribute name, `()`, `for`, `[]`) is read from `value`, if that is a place."""
        if isinstance(value, Name):
            place: str | None = value.id
        elif isinstance(value, Attribute):
            place = _dotted(value)
        else:
            return
        if place is None:
            return
        known = self.uses.get(place)
        if known is None:
            self.uses[place] = {how}
        else:
            known.add(how)

    def iterate(self, value: Expr) -> None:
        """Note that `value` is iterated over, also where `enumerate`, `zip` or `tqdm` stands around it."""
        self.use(value, "for")
        if isinstance(value, Call) and _name_of(value.func) in _PASSING_ON:
            for argument in value.arguments:
                if argument.keyword is None:
                    self.iterate(argument.value)

    def nested(self) -> Scope:
        """A scope for a function inside this one."""
        return Scope(self.definitions)

    def absorb(self, inner: Scope) -> None:
        """Take over what a nested function says about names that it does not bind itself."""
        self.words |= inner.words
        local = inner.bound - inner.globals - inner.nonlocals
        for place, hows in inner.uses.items():
            root = place.partition(".")[0]
            if root not in local:
                self.uses.setdefault(place, set()).update(hows)

    def frozen_uses(self) -> dict[str, frozenset[str]]:
        """The uses as the program's nodes hold them."""
        return {place: frozenset(hows) for place, hows in self.uses.items()}


def opened(scope: Scope, parameters: Iterable[Parameter]) -> Scope:
    """The scope of a function that stands in `scope`."""
    inner = scope.nested()
    inner.bound.update([parameter.name for parameter in parameters])
    return inner


def close(scope: Scope, inner: Scope, function: FunctionDef) -> None:
    """Give `function` what its scope `inner` has gathered, and `scope` what of that is not local."""
    function.is_generator = inner.is_generator
    function.globals = frozenset(inner.globals)
    function.nonlocals = frozenset(inner.nonlocals)
    function.uses = inner.frozen_uses()
    function.words = frozenset(inner.words)
    scope.absorb(inner)


def uses_of_self(methods: Iterable[FunctionDef]) -> dict[str, frozenset[str]]:
    """What the methods of a class read from their instance, together."""
    union: dict[str, frozenset[str]] = {}
    for method in methods:
        for place, hows in method.uses.items():
            if place == "self" or place.startswith("self."):
                union[place] = union.get(place, frozenset()) | hows
    return union


def _name_of(function: Expr) -> str:
    if isinstance(function, Name):
        return function.id
    return function.attr if isinstance(function, Attribute) else ""


def _dotted(value: Attribute) -> str | None:
    """`a.b` or `a.b.c`; None where the chain is longer or does not begin with a name."""
    inner = value.value
    if isinstance(inner, Name):
        return f"{inner.id}.{value.attr}"
    if isinstance(inner, Attribute):
        first = inner.value
        if isinstance(first, Name):
            return f"{first.id}.{inner.attr}.{value.attr}"
    return None
