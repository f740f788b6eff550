"""What happens to `.grad`: who adds to it, which step uses it, what is cleared unused.

Nothing is asked of how a program clears: a gradient that is None or all zero when the next backward
or step begins was cleared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from tests.rules.truth.loops import user_line

GRAD_SETTER = torch.Tensor.grad.__set__
ZEROING = ("zero_", "_foreach_zero_", "fill_", "mul_", "_foreach_mul_")
"""Functions that may make a gradient all zero."""


@dataclass
class Parameter:
    """One leaf. `unused`: it holds what no step has used; `applied`: what a step has used.

    `backwards` are the lines whose backwards have given it what is unused; `wasted` maps such lines to
    the line at which their gradients were cleared.
    """

    tensor: torch.Tensor
    unused: bool = False
    applied: bool = False
    lost: bool = False
    backwards: set[int] = field(default_factory=set)
    wasted: dict[int, int] = field(default_factory=dict)

    def look(self) -> None:
        """Bring the state up to date with what the program did to `.grad` since the last look."""
        gradient = self.tensor.grad
        if gradient is None or not gradient.any():
            self.lost |= self.unused
            self.unused = self.applied = False
            self.wasted |= dict.fromkeys(self.backwards, user_line())
            self.backwards = set()

    def added(self) -> None:
        """A backward added to it."""
        self.unused = True
        if self.tensor.grad is not None and self.tensor.grad.any():
            self.backwards.add(user_line())

    def replaced(self) -> None:
        """The program put a tensor of its own there: nothing of it was applied before."""
        self.look()
        self.unused, self.applied = True, False

    def used(self) -> None:
        """A step used it."""
        gradient = self.tensor.grad
        self.applied = gradient is not None and bool(gradient.any())
        self.unused = self.lost = False
        self.backwards, self.wasted = set(), {}

    @property
    def is_stale(self) -> bool:
        """Whether what an earlier step used is in it still."""
        return self.applied and self.tensor.grad is not None and bool(self.tensor.grad.any())


@dataclass
class Gradients:
    """The parameters of a running example, and the lines whose steps went wrong."""

    parameters: dict[int, Parameter] = field(default_factory=dict)
    backwards: int = 0
    seen_by: dict[int, int] = field(default_factory=dict)
    stale: set[int] = field(default_factory=set)
    cleared: set[int] = field(default_factory=set)
    empty: set[int] = field(default_factory=set)
    defeated: set[int] = field(default_factory=set)

    def of(self, tensors: Iterable[torch.Tensor]) -> list[Parameter]:
        """The records of these leaves."""
        return [self.parameters.setdefault(id(t), Parameter(t)) for t in tensors]

    def before_backward(self) -> None:
        """A backward begins."""
        self.backwards += 1
        for parameter in self.parameters.values():
            parameter.look()

    def after_backward(self, reached: list[torch.Tensor]) -> None:
        """A backward has added to the gradients of these leaves."""
        for parameter in self.of(reached):
            parameter.added()

    def assigned(self, leaf: torch.Tensor, value: torch.Tensor | None) -> None:
        """The program is about to assign `value` to the gradient of `leaf`."""
        if value is not None:
            for parameter in self.of([leaf]):
                parameter.replaced()

    def called(self, func: Any, args: Any) -> None:
        """The program, or torch for it, has called `func`: it may have cleared gradients."""
        if func == GRAD_SETTER:
            cleared = self.of([args[0]])
        elif getattr(func, "__name__", "") in ZEROING:
            cleared = list(self.parameters.values())
        else:
            return
        for parameter in cleared:
            parameter.look()

    def has_unused(self, leaves: Iterable[torch.Tensor]) -> bool:
        """Whether a leaf has a gradient that no step has used."""
        mine = self.of(leaves)
        for parameter in mine:
            parameter.look()
        return any(parameter.unused for parameter in mine)

    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """An optimizer's step begins; one with a closure will make its gradients itself."""
        if closure(args, kwargs) is None:
            mine = self.of(_held(optimizer))
            for parameter in mine:
                parameter.look()
            self._judge(optimizer, mine)
            self._judge_waste(mine)

    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """An optimizer's step is done."""
        mine = self.of(_held(optimizer))
        if closure(args, kwargs) is not None:
            self._judge(optimizer, mine)
        for parameter in mine:
            parameter.used()
        self.seen_by[id(optimizer)] = self.backwards

    def _judge_waste(self, mine: list[Parameter]) -> None:
        """Note clears that took away what the same backward had given since the last step."""
        for parameter in mine:
            lines = parameter.backwards & parameter.wasted.keys()
            self.defeated |= {parameter.wasted[line] for line in lines}

    def _judge(self, optimizer: Any, mine: list[Parameter]) -> None:
        line = user_line()
        if any(p.tensor.grad is not None and p.tensor.grad.any() for p in mine):
            if any(parameter.is_stale for parameter in mine):
                self.stale.add(line)
        elif any(parameter.lost for parameter in mine):
            self.cleared.add(line)
        elif self.backwards == self.seen_by.get(id(optimizer), 0):
            self.empty.add(line)


def closure(args: Any, kwargs: Any) -> Any:
    """The closure among what a step was called with (the optimizer itself comes first)."""
    return args[1] if len(args) > 1 else kwargs.get("closure")


def _held(optimizer: Any) -> list[torch.Tensor]:
    return [tensor for group in optimizer.param_groups for tensor in group["params"]]
