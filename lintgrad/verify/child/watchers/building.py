"""Optimizers that are built again and begin without what their predecessors had learned."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

import torch

from lintgrad.verify.child.frames import Lines, user_lines
from lintgrad.verify.child.gradients import held
from lintgrad.verify.child.loops import earlier
from lintgrad.verify.child.record import Stamp
from lintgrad.verify.child.watchers.watcher import Watcher

_KEY = "lintgrad_built"
_KEPT = 8
"""How many of a line's optimizers are remembered."""


@dataclass
class _Built:
    """One optimizer: the how-manieth of its line, its parameters by id, its steps, its tensors of state."""

    number: int
    lines: Lines
    stamp: Stamp
    parameters: dict[int, weakref.ref[torch.Tensor]]
    steps: int = 0
    remembers: int = 0

    def shares(self, other: _Built) -> int:
        """How many parameters both hold."""
        pairs = [
            (ref(), other.parameters[key]())
            for key, ref in self.parameters.items()
            if key in other.parameters
        ]
        return sum(mine is not None and mine is theirs for mine, theirs in pairs)


@dataclass
class Building(Watcher):
    """Sees `built` for each optimizer that steps: `number` counts those of its line.

    `shared` is how many parameters it has from the last one that stood there in an earlier turn, `lost` how
    many tensors of state that one had after its `steps` while this one begins with none.
    """

    by_line: dict[Lines, list[_Built]] = field(default_factory=dict)

    def built(self, optimizer: torch.optim.Optimizer) -> None:
        """Note where and over what it was built."""
        parameters = {id(tensor): weakref.ref(tensor) for tensor in held(optimizer)}
        mine = optimizer.__dict__.get(_KEY)
        if mine is not None:
            mine.parameters = parameters
            return
        lines = user_lines()
        others = self.by_line.setdefault(lines[:1], [])
        number = others[-1].number + 1 if others else 1
        optimizer.__dict__[_KEY] = mine = _Built(number, lines, self.loops.stamp(lines), parameters)
        others.append(mine)
        del others[:-_KEPT]

    def steps(self, optimizer: torch.optim.Optimizer) -> None:
        """At its first step, ask what the one before it knew."""
        mine = optimizer.__dict__.get(_KEY)
        if mine is None or mine.steps:
            return
        before = [
            other
            for other in self.by_line[mine.lines[:1]]
            if other.number < mine.number
            and other.steps
            and earlier(other.stamp, mine.stamp)
            and mine.shares(other)
        ]
        last = before[-1] if before else None
        self.saw(
            "built",
            mine.lines,
            number=mine.number,
            shared=mine.shares(last) if last else 0,
            steps=last.steps if last else 0,
            lost=last.remembers if last and not _remembers(optimizer) else 0,
        )

    def stepped(self, optimizer: torch.optim.Optimizer) -> None:
        """Count the step, and what is remembered of it."""
        mine = optimizer.__dict__.get(_KEY)
        if mine is not None:
            mine.steps += 1
            mine.remembers = _remembers(optimizer)


def _remembers(optimizer: torch.optim.Optimizer) -> int:
    """How many tensors an optimizer keeps from its steps."""
    return sum(
        isinstance(part, torch.Tensor) for state in optimizer.state.values() for part in state.values()
    )
