"""What happens around the steps: optimizers that are built again, clips, schedules that run ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from tests.rules.truth.gradients import Gradients
from tests.rules.truth.loops import Loops, Stamp, earlier, user_line

CLIPS = ("clip_grad_norm_", "clip_grad_value_")
EARLY_SCHEDULE = "`lr_scheduler.step()` before `optimizer.step()`"


@dataclass
class Built:
    """One construction of an optimizer; `remembers` once its steps have left a state."""

    optimizer: torch.optim.Optimizer
    line: int
    stamp: Stamp
    remembers: bool = False

    @property
    def parameters(self) -> set[int]:
        """The identities of what it holds."""
        return {id(p) for group in self.optimizer.param_groups for p in group["params"]}


@dataclass
class Protocol:
    """The optimizers, clips and schedules of a running example, and the lines that went wrong."""

    loops: Loops
    gradients: Gradients
    built: list[Built] = field(default_factory=list)
    forgotten: set[int] = field(default_factory=set)
    clips: dict[int, bool] = field(default_factory=dict)
    early: set[int] = field(default_factory=set)

    def watch(self) -> None:
        """Put watchers in the place of what programs build and call."""
        torch.optim.Optimizer.__init__ = self._building(torch.optim.Optimizer.__init__)
        for name in CLIPS:
            clip = self._clipping(getattr(torch.nn.utils, name))
            setattr(torch.nn.utils, name, clip)
            setattr(torch.nn.utils.clip_grad, name, clip)

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether an optimizer was built over `tensor`."""
        return any(id(tensor) in built.parameters for built in self.built)

    def warned(self, message: Warning | str, *_: object, **__: object) -> None:
        """torch, or the program, has warned."""
        if EARLY_SCHEDULE in str(message):
            self.early.add(user_line())

    def misplaced(self) -> list[int]:
        """The clips that never clipped what a step then used."""
        return sorted(line for line, useless in self.clips.items() if useless)

    def after_step(self, optimizer: torch.optim.Optimizer, _args: Any, _kwargs: Any) -> None:
        """A step is done: a state that an earlier twin of the optimizer had was lost to it."""
        mine = next((built for built in self.built if built.optimizer is optimizer), None)
        if mine is None:
            return
        states = optimizer.state.values()
        mine.remembers |= any(isinstance(part, torch.Tensor) for state in states for part in state.values())
        for other in self.built:
            same_place = other.line == mine.line and earlier(other.stamp, mine.stamp)
            if same_place and other.remembers and other.parameters & mine.parameters:
                self.forgotten.add(mine.line)

    def _building(self, build: Callable[..., None]) -> Callable[..., None]:
        def watched(optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> None:
            build(optimizer, *args, **kwargs)
            self.built.append(Built(optimizer, user_line(), self.loops.stamp()))

        return watched

    def _clipping(self, clip: Callable[..., Any]) -> Callable[..., Any]:
        def watched(parameters: Any, *args: Any, **kwargs: Any) -> Any:
            given: Iterable[torch.Tensor] = (
                [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
            )
            line = user_line()
            self.clips[line] = self.clips.get(line, True) and not self.gradients.has_unused(given)
            return clip(given, *args, **kwargs)

        return watched
