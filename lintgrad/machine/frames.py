"""Environments and frames: where names live while code runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintgrad.machine.values import Value

if TYPE_CHECKING:
    from lintgrad.diagnostics import Site
    from lintgrad.machine.values import ClassV, FunctionV
    from lintgrad.program import nodes


@dataclass(slots=True, eq=False)
class Environment:
    """The names of one scope and the scope around it.

    Python decides statically which scope a name is in; looking outward at run time gives the same
    answer for programs that run, but for a class body, which functions inside it do not see.
    """

    names: dict[str, Value]
    outer: Environment | None
    module: Environment | None = None
    is_class: bool = False
    born: int = 0
    of_comprehension: bool = False

    def lookup(self, name: str) -> Value | None:
        """The value of `name` here or further out; None when it is unbound."""
        found = self.names.get(name)
        if found is not None:
            return found
        scope = self.outer
        while scope is not None:
            if not scope.is_class:
                found = scope.names.get(name)
                if found is not None:
                    return found
            scope = scope.outer
        return None


@dataclass(slots=True, eq=False)
class Frame:
    """One activation of a function, or the module's own code.

    `result` is what a return left; `on_yield` is called with each yielded value and says whether
    the consumer wants to go on. `call` is the call site, `stack` the call sites down to here. `guarded` when
    it goes on in one of a module's modes alone.
    """

    env: Environment
    path: str
    name: str
    function: FunctionV | None = None
    receiver: Value | None = None
    owner: ClassV | None = None
    stack: tuple[Site, ...] = ()
    result: Value | None = None
    globals: frozenset[str] = frozenset()
    nonlocals: frozenset[str] = frozenset()
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict)
    class_uses: Mapping[str, frozenset[str]] = field(default_factory=dict)
    on_yield: Callable[[Value], bool] | None = None
    handling: list[Value] = field(default_factory=list)
    definition: nodes.FunctionDef | None = None
    guarded: bool = False

    def bind(self, name: str, value: Value) -> None:
        """Bind `name` in the scope that it belongs to."""
        if name in self.globals:
            module = self.env.module or self.env
            module.names[name] = value
        elif name in self.nonlocals:
            scope = self.env.outer
            while scope is not None and (name not in scope.names or scope.is_class):
                scope = scope.outer
            (scope or self.env).names[name] = value
        else:
            self.env.names[name] = value

    def uses_of(self, place: str) -> frozenset[str]:
        """The attributes that the code around reads from `place`."""
        return self.uses.get(place, frozenset()) | self.class_uses.get(place, frozenset())
