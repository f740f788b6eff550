"""What a part of a generated program may read, and what it may assign to."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Scope:
    """Names by kind: 3x3 matrices, scalars, lists of scalars, sums.

    `losses` are scalars with a graph, mostly; `index` are the loop counters; `modules`, `optimizers` and
    `leaves` are the program's own. `writable` are the names that a function may assign to; None elsewhere.
    """

    matrices: list[str] = field(default_factory=list)
    scalars: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    sums: list[str] = field(default_factory=list)
    leaves: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    optimizers: list[str] = field(default_factory=list)
    index: list[str] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    trainers: list[str] = field(default_factory=list)
    writable: frozenset[str] | None = None

    def inner(self) -> Scope:
        """A copy: what is made in a block is not there behind it."""
        copy = Scope(writable=self.writable)
        for name, value in vars(self).items():
            setattr(copy, name, list(value) if isinstance(value, list) else value)
        return copy

    def function(self, *parameters: str) -> Scope:
        """The scope of a function: all names can be read, its own can be assigned to."""
        made = self.inner()
        made.matrices += parameters
        made.index = []
        made.writable = frozenset(parameters)
        return made

    def assignable(self, names: list[str]) -> list[str]:
        """Those of `names` that an assignment does not make local by mistake."""
        if self.writable is None:
            return names
        return [name for name in names if name in self.writable or "." in name]

    def own(self, name: str) -> None:
        """`name` is assigned to here."""
        if self.writable is not None:
            self.writable |= {name}
