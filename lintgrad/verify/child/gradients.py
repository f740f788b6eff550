"""What happens to `.grad`: who adds to it, which step uses it, what is cleared unused.

Nothing is asked of how a program clears: a gradient that is None or all zero when the next backward or step
begins was cleared. The line of the clear is known where it is one of the common ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from lintgrad.verify.child.frames import Lines, user_lines
from lintgrad.verify.child.loops import Loops
from lintgrad.verify.child.record import Sight, Step
from lintgrad.verify.child.tensors import has_gradient, norm

_BIG = 4 << 20
"""Elements above which a parameter's contributions are not copied: figures are then those of the others."""


@dataclass
class Parameter:
    """One leaf. `unused`: it holds what no step has used; `applied`: what a step has used.

    `touched`: a backward came to it since the last step, be it with zeros.
    `fresh` is the sum of what came since it was cleared or used. Since the last step: `given` counts the
    backwards that gave what is there, by their lines; `wasted` those whose gradients were cleared, and
    where.
    """

    tensor: torch.Tensor
    unused: bool = False
    applied: bool = False
    touched: bool = False
    lost: bool = False
    walk: int = -1
    lost_walk: int = -1
    fresh: torch.Tensor | None = None
    given: Counter[Lines] = field(default_factory=Counter)
    wasted: dict[Lines, tuple[int, Lines]] = field(default_factory=dict)

    def look(self) -> None:
        """Bring the state up to date with what the program did to `.grad` since the last look."""
        if not has_gradient(self.tensor):
            if self.unused:
                self.lost, self.lost_walk = True, self.walk
            for lines, count in self.given.items():
                self.wasted[lines] = (self.wasted.get(lines, (0,))[0] + count, user_lines())
            self.given.clear()
            self.unused = self.applied = False
            self.fresh = None

    def replaced(self) -> None:
        """The program put a tensor of its own there: nothing of it was applied before."""
        self.look()
        self.unused, self.touched, self.applied, self.fresh = True, True, False, None

    def used(self) -> None:
        """A step used it."""
        self.applied = has_gradient(self.tensor)
        self.unused = self.lost = self.touched = False
        self.fresh = None
        self.given.clear()
        self.wasted.clear()


@dataclass
class Gradients:
    """The parameters of a running program, and its steps."""

    loops: Loops
    is_firm: Callable[[Any], bool] = lambda _: True
    parameters: dict[int, Parameter] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    sights: list[Sight] = field(default_factory=list)
    walks: int = 0
    clears: list[tuple[int, Lines]] = field(default_factory=list)
    optimizers: dict[int, int] = field(default_factory=dict)
    seen_by: dict[int, int] = field(default_factory=dict)
    before: dict[int, torch.Tensor | None] = field(default_factory=dict)

    def of(self, tensors: Iterable[torch.Tensor]) -> list[Parameter]:
        """The records of these leaves."""
        return [self.parameters.setdefault(id(t), Parameter(t)) for t in tensors]

    def before_backward(self, reached: list[torch.Tensor]) -> None:
        """A backward that may add to these leaves begins."""
        self.walks += 1
        for parameter in self.parameters.values():
            parameter.look()
        self.before = {id(t): _copy(t.grad) for t in reached}

    def after_backward(self, reached: list[torch.Tensor], walk: int, lines: Lines) -> None:
        """Backward number `walk` has added to the gradients of these leaves."""
        for parameter in self.of(reached):
            parameter.unused, parameter.touched, parameter.walk = has_gradient(parameter.tensor), True, walk
            if parameter.unused:
                parameter.given[lines] += 1
            new, old = _copy(parameter.tensor.grad), self.before.get(id(parameter.tensor))
            if new is not None:
                added = new if old is None else new - old
                parameter.fresh = added if parameter.fresh is None else parameter.fresh + added
        self.before = {}

    def assigned(self, leaf: torch.Tensor, value: torch.Tensor | None) -> None:
        """The program is about to assign `value` to the gradient of `leaf`."""
        if value is None:
            self.cleared()
        else:
            for parameter in self.of([leaf]):
                parameter.replaced()

    def cleared(self) -> None:
        """The program clears gradients, of which ones does not matter: `look` will see."""
        for parameter in self.parameters.values():
            parameter.look()
        self.clears.append((self.walks, user_lines()))
        del self.clears[:-64]

    def waiting(self, leaves: Iterable[torch.Tensor]) -> int:
        """How many of these leaves have a gradient that no step has used."""
        mine = self.of(leaves)
        for parameter in mine:
            parameter.look()
        return sum(parameter.unused for parameter in mine)

    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """An optimizer's step begins; one with a closure will make its gradients itself."""
        if closure(args, kwargs) is None:
            mine = self._judge(optimizer)
            self._judge_waste(mine)

    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """An optimizer's step is done."""
        if closure(args, kwargs) is not None:
            self._judge(optimizer)
        for parameter in self.of(held(optimizer)):
            parameter.used()
        self.seen_by[id(optimizer)] = self.walks

    def _judge(self, optimizer: Any) -> list[Parameter]:
        mine = self.of(held(optimizer))
        for parameter in mine:
            parameter.look()
        number = self.optimizers[id(optimizer)] = self.optimizers.get(id(optimizer), 0) + 1
        lines = user_lines()
        step = Step(lines, self.loops.stamp(lines), id(optimizer), number, len(mine))
        step.idle = self.walks == self.seen_by.get(id(optimizer), 0)
        step.firm = self.is_firm(optimizer)
        present = [p for p in mine if has_gradient(p.tensor)]
        step.stale = sum(p.applied for p in present)
        step.fresh = sum(p.unused for p in present)
        step.touched = sum(p.touched for p in mine)
        lost = [p for p in mine if p.lost]
        step.lost = len(lost)
        if lost:
            step.lost_walk = max(p.lost_walk for p in lost)
            step.lost_lines = self._clear_after(step.lost_walk)
        fresh = norm(p.fresh for p in present)
        step.norm = norm(p.tensor.grad for p in present)
        step.ratio = step.norm / fresh if fresh else 0.0
        self.steps.append(step)
        return mine

    def _judge_waste(self, mine: list[Parameter]) -> None:
        """Note a clear that took away what the same backward had given since the last step."""
        step = self.steps[-1]
        for parameter in mine:
            for walk in parameter.given.keys() & parameter.wasted.keys():
                lost, lines = parameter.wasted[walk]
                facts = {
                    "step": step.number,
                    "used": parameter.given[walk],
                    "lost": lost,
                    "backward": walk[:1],
                    "of": step.optimizer,
                }
                self.sights.append(Sight(lines, "wasted", {**facts, "firm": step.firm}))
                return

    def _clear_after(self, walk: int) -> Lines:
        later = [lines for walks, lines in self.clears if walks > walk]
        return later[0] if later else ()


def closure(args: Any, kwargs: Any) -> Any:
    """The closure among what a step was called with (the optimizer itself comes first)."""
    return args[1] if len(args) > 1 else kwargs.get("closure")


def held(optimizer: Any) -> list[torch.Tensor]:
    """The tensors that an optimizer trains."""
    return [tensor for group in optimizer.param_groups for tensor in group["params"]]


def _copy(gradient: torch.Tensor | None) -> torch.Tensor | None:
    if gradient is None or gradient.is_sparse or gradient.numel() > _BIG:
        return None
    return gradient.detach().clone()
