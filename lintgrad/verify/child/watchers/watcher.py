"""What a watcher is told, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from lintgrad.verify.child.frames import Lines, user_lines
from lintgrad.verify.child.loops import Loops
from lintgrad.verify.child.record import Sight, Walk


@dataclass(frozen=True)
class Call:
    """One call into torch: what it was given, what it gave."""

    func: Any
    name: str
    given: Sequence[torch.Tensor]
    kwargs: dict[str, Any]
    result: Any
    results: Sequence[torch.Tensor]


@dataclass
class Watcher:
    """The base of all watchers: whatever one does not care for does nothing."""

    loops: Loops
    seen: list[Sight] = field(default_factory=list)

    def install(self) -> None:
        """Put wrappers in the place of what the program will call, before it begins."""

    def called(self, call: Call) -> None:
        """The program, or torch for it, has called into torch."""

    def compared(self, value: Any, name: str) -> None:
        """Attribute `name` of `value` was compared, and the result dropped."""

    def read(self, tensor: torch.Tensor, gradient: torch.Tensor | None) -> None:
        """The program itself has read `tensor.grad`."""

    def begins(self, walk: Walk, roots: Sequence[torch.Tensor], given: Sequence[torch.Tensor | None]) -> None:
        """A backward begins at `roots` with the gradients `given` for them."""

    def reaches(self, walk: Walk, leaves: Sequence[torch.Tensor]) -> None:
        """The backward that began will add to the gradients of these leaves."""

    def gave(self, walk: Walk, results: Any) -> None:
        """A backward is through; `results` are what `autograd.grad` returns."""

    def failed(self, walk: Walk, roots: Sequence[torch.Tensor]) -> None:
        """A backward has raised: `walk.error` says what."""

    def built(self, optimizer: torch.optim.Optimizer) -> None:
        """An optimizer was built, or took in more parameters."""

    def steps(self, optimizer: torch.optim.Optimizer) -> None:
        """An optimizer is about to step."""

    def stepped(self, optimizer: torch.optim.Optimizer) -> None:
        """An optimizer has stepped."""

    def sights(self) -> list[Sight]:
        """What was seen, when the run is over."""
        return self.seen

    def saw(self, kind: str, lines: Lines | None = None, **facts: Any) -> Sight:
        """Keep something that was seen at the lines that run now, or at others."""
        sight = Sight(user_lines() if lines is None else lines, kind, facts)
        self.seen.append(sight)
        return sight
