"""Clips of gradients, and whether there was anything to clip."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, KeysView
from dataclasses import dataclass, field
from typing import Any

import torch

from lintgrad.verify.child.gradients import Gradients
from lintgrad.verify.child.record import Sight
from lintgrad.verify.child.watchers.watcher import Watcher

_CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm")


@dataclass
class Clipping(Watcher):
    """Sees `clip` at each: `waiting` of its `parameters` have a gradient that no step has used.

    `left` counts the parameters of the optimizer that steps next whose gradients, of norm `norm`, no clip
    had bounded, where some had been; none where the optimizer has one module's parameters and no others.
    """

    gradients: Gradients | None = None
    open: list[tuple[Sight, set[int]]] = field(default_factory=list)

    def steps(self, optimizer: torch.optim.Optimizer) -> None:
        """An optimizer steps: see whether the clips before had all of its parameters."""
        held = {id(leaf): leaf for leaf in _held(optimizer) if leaf.grad is not None}
        mine = [(sight, given) for sight, given in self.open if given & held.keys()]
        clipped = {key for _, given in mine for key in given}
        left = [leaf.grad for key, leaf in held.items() if key not in clipped]
        if mine and left and not _is_one_module(held.keys()):
            norm = torch.stack(
                [gradient.detach().float().norm() for gradient in left if gradient is not None]
            )
            mine[-1][0].facts.update(left=len(left), norm=float(norm.norm()), held=len(held))
        self.open = [one for one in self.open if one not in mine]

    def install(self) -> None:
        """Wrap torch's clips."""
        for name in _CLIPS:
            clip = getattr(torch.nn.utils, name, None)
            if clip is not None:
                watched = self._clipping(clip)
                setattr(torch.nn.utils, name, watched)
                setattr(torch.nn.utils.clip_grad, name, watched)

    def _clipping(self, clip: Callable[..., Any]) -> Callable[..., Any]:
        def watched(parameters: Any, *args: Any, **kwargs: Any) -> Any:
            given: Iterable[Any] = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
            leaves = [leaf for leaf in given if isinstance(leaf, torch.Tensor)]
            assert self.gradients is not None
            waiting = self.gradients.waiting(leaves)
            sight = self.saw("clip", waiting=waiting, parameters=len(leaves), left=0, norm=0.0, held=0)
            self.open.append((sight, {id(leaf) for leaf in leaves}))
            return clip(given, *args, **kwargs)

        return watched


def _held(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [leaf for group in optimizer.param_groups for leaf in group["params"]]


def _is_one_module(held: KeysView[int]) -> bool:
    """Whether some module has just these parameters."""
    modules = [one for one in gc.get_objects() if type(one) is not type and isinstance(one, torch.nn.Module)]
    return any({id(p) for p in module.parameters() if p.grad is not None} == held for module in modules)
