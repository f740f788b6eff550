"""Parameters that get gradients, who made them and when, and whether an optimizer ever holds them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from lintgrad.verify.child.frames import Lines, user_lines
from lintgrad.verify.child.gradients import Gradients, held
from lintgrad.verify.child.record import Sight, Walk
from lintgrad.verify.child.tensors import has_gradient
from lintgrad.verify.child.watchers.watcher import Watcher

_BIG = 4 << 20
"""Elements above which a parameter's values are not copied: it is then taken as moved."""


@dataclass
class _Trained:
    """An optimizer: where and when it was built, its steps, what the backwards before them filled."""

    lines: Lines
    moment: int
    optimizer: torch.optim.Optimizer
    steps: int = 0
    beside: set[int] = field(default_factory=set)


@dataclass
class Holding(Watcher):
    """Sees `trained` for each optimizer that steps and `made` for each line that makes parameters.

    `missing` counts the parameters that a backward before its steps filled, that no optimizer holds and that
    nothing moved; `late` those that are newer than the optimizer. Weights that were loaded are not missing.
    """

    gradients: Gradients | None = None
    moment: int = 0
    made: dict[int, tuple[torch.Tensor, Lines, int]] = field(default_factory=dict)
    loaded: set[int] = field(default_factory=set)
    filled: dict[int, tuple[torch.Tensor, torch.Tensor | None]] = field(default_factory=dict)
    recent: list[torch.Tensor] = field(default_factory=list)
    optimizers: dict[int, _Trained] = field(default_factory=dict)

    def install(self) -> None:
        """Hear of parameters that modules take in, and of states that are loaded."""
        kind = torch.nn.Module
        register, load = kind.register_parameter, kind.load_state_dict

        def registered(module: Any, name: str, parameter: Any) -> None:
            register(module, name, parameter)
            if parameter is not None and id(parameter) not in self.made:
                self.moment += 1
                self.made[id(parameter)] = (parameter, user_lines(), self.moment)

        def filled(module: Any, *args: Any, **kwargs: Any) -> Any:
            self.loaded.update(map(id, module.parameters()))
            return load(module, *args, **kwargs)

        kind.register_parameter, kind.load_state_dict = registered, filled

    def reaches(self, walk: Walk, leaves: Sequence[torch.Tensor]) -> None:
        """Keep what the parameters are when their first gradient comes."""
        del walk
        self.recent += [leaf for leaf in leaves if isinstance(leaf, torch.nn.Parameter)]
        for leaf in self.recent:
            if id(leaf) not in self.filled:
                values = leaf.detach().clone() if leaf.numel() <= _BIG else None
                self.filled[id(leaf)] = (leaf, values)

    def built(self, optimizer: torch.optim.Optimizer) -> None:
        """Note where it was built first."""
        if id(optimizer) not in self.optimizers:
            self.moment += 1
            self.optimizers[id(optimizer)] = _Trained(user_lines(), self.moment, optimizer)

    def steps(self, optimizer: torch.optim.Optimizer) -> None:
        """What was filled since the last step is what it might have trained."""
        mine = self.optimizers.get(id(optimizer))
        if mine is None or (self.gradients is not None and not self.gradients.is_firm(optimizer)):
            return
        mine.steps += 1
        mine.beside.update(id(leaf) for leaf in self.recent if has_gradient(leaf))
        self.recent.clear()

    def sights(self) -> list[Sight]:
        """What is held by nobody in the end, by optimizer and by line."""
        all_held = {id(t) for one in self.optimizers.values() for t in held(one.optimizer)}
        alone = {
            key
            for key, (leaf, old) in self.filled.items()
            if key not in all_held | self.loaded and _same(leaf, old)
        }
        seen = list[Sight]()
        late = dict[int, int]()
        for one in self.optimizers.values():
            missing = alone & one.beside
            if not any(id(leaf) in self.made for leaf in held(one.optimizer)):
                # It holds no module's parameters: it plans an input, as an attack does, and trains no module.
                missing -= self.made.keys()
            newer = {key for key in one.beside - all_held if self._moment(key) > one.moment}
            late.update(dict.fromkeys(newer, one.steps))
            if one.steps:
                facts = {"steps": one.steps, "held": len(held(one.optimizer))}
                seen.append(Sight(one.lines, "trained", {**facts, "missing": len(missing - newer)}))
        for lines in dict.fromkeys(lines for _, lines, _ in self.made.values()):
            mine = [key for key, (_, where, _) in self.made.items() if where == lines]
            orphans = [key for key in mine if key in late]
            facts = {
                "made": len(mine),
                "late": len(orphans),
                "steps": max((late[k] for k in orphans), default=0),
            }
            seen.append(Sight(lines, "made", {**facts, "filled": sum(key in self.filled for key in mine)}))
        return seen

    def _moment(self, key: int) -> int:
        return self.made[key][2] if key in self.made else 0


def _same(leaf: torch.Tensor, old: torch.Tensor | None) -> bool:
    return old is not None and leaf.shape == old.shape and bool(torch.equal(leaf.detach(), old))
