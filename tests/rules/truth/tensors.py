"""What is done to leaves: gradients read where none arrives, names bound anew, losses made anew.

Each tensor that a program makes carries a `Made` in its `__dict__`: where it was made, and whether that
line reads a leaf's gradient, as an update does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import torch

from tests.rules.truth.loops import FILE, user_line

KEY = "lintgrad_made"
READ = torch.Tensor.grad.__get__
FORCE = torch.Tensor.requires_grad.__set__
MAX_PARTS = 16
"""A loss that is made anew has few parts; more numbers than that are data."""


@dataclass(frozen=True)
class Made:
    """Where a tensor was made; `update` when that line had read the gradient of a leaf."""

    line: int
    update: bool


@dataclass
class Tensors:
    """The tensors of a running example, and the lines that went wrong."""

    optimized: Callable[[torch.Tensor], bool]
    nonleaf: set[int] = field(default_factory=set)
    rebound: set[int] = field(default_factory=set)
    updates: set[int] = field(default_factory=set)
    numbers: set[float] = field(default_factory=set)
    forced: list[tuple[torch.Tensor, int]] = field(default_factory=list)
    ends: list[list[torch.Tensor]] = field(default_factory=list)
    read: set[int] = field(default_factory=set)

    def called(self, func: Any, args: Any, kwargs: Any, result: Any, *, by_user: bool) -> None:
        """A function of torch was called, by the program itself or by torch."""
        if func == READ and by_user:
            self._read(args[0], result)
        elif func == FORCE and args[1]:
            self._force(args[0])
        elif getattr(func, "__name__", "") == "requires_grad_" or (
            func is torch.tensor and kwargs.get("requires_grad")
        ):
            self._force(result)
        else:
            self._note(result, made=func is not torch.tensor)

    def before_backward(self, ends: list[torch.Tensor]) -> None:
        """A backward begins that reaches `ends` and no other leaves."""
        self.ends.append(ends)

    def rewrapped(self) -> list[int]:
        """Where leaves were made of a loss's values, if a backward ends at them and nobody wants that.

        Somebody does where the leaf's gradient is read, or where an optimizer holds it.
        """
        lines = {id(leaf): line for leaf, line in self.forced}
        found = set[int]()
        for ends in self.ends:
            if ends and all(self._is_useless(leaf, lines) for leaf in ends):
                found |= {lines[id(leaf)] for leaf in ends}
        return sorted(found)

    def failed(self, problem: BaseException) -> None:
        """The program ended at a backward without a graph: which updates are to blame."""
        if "does not require grad" not in str(problem):
            return
        for value in _locals(problem.__traceback__):
            made = value.__dict__.get(KEY)
            if made is not None and made.update and not value.requires_grad:
                self.rebound.add(made.line)

    def _is_useless(self, leaf: torch.Tensor, lines: dict[int, int]) -> bool:
        return id(leaf) in lines and id(leaf) not in self.read and not self.optimized(leaf)

    def _read(self, tensor: torch.Tensor, gradient: torch.Tensor | None) -> None:
        self.read.add(id(tensor))
        if tensor.is_leaf:
            if gradient is not None:
                self.updates.add(user_line())
        elif not tensor.retains_grad:
            made = tensor.__dict__.get(KEY)
            if made is not None and made.update:
                self.rebound.add(made.line)
            else:
                self.nonleaf.add(user_line())

    def _force(self, tensor: torch.Tensor) -> None:
        values = tensor.detach().double().flatten().tolist() if tensor.numel() <= MAX_PARTS else []
        if tensor.is_leaf and values and self.numbers.issuperset(values):
            self.forced.append((tensor, user_line()))

    def _note(self, result: Any, *, made: bool) -> None:
        line = user_line()
        for tensor in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(tensor, torch.Tensor):
                tensor.__dict__.setdefault(KEY, Made(line, line in self.updates))
                if made and tensor.dim() == 0 and tensor.is_floating_point() and not tensor.is_meta:
                    number = tensor.item()
                    self.numbers |= set() if math.isnan(number) else {number}


def _locals(traceback: TracebackType | None) -> Iterator[torch.Tensor]:
    """The tensors that the program's frames hold by name, or in a list with a name."""
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE:
            for value in traceback.tb_frame.f_locals.values():
                items: Iterable[Any] = value if isinstance(value, (tuple, list)) else [value]
                yield from (item for item in items if isinstance(item, torch.Tensor))
        traceback = traceback.tb_next
