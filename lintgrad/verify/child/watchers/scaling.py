"""Gradient scalers: which gradients are still multiplied by a loss scale, and who meets them so."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from lintgrad.verify.child.frames import Lines, user_lines
from lintgrad.verify.child.gradients import held
from lintgrad.verify.child.record import Walk
from lintgrad.verify.child.tensors import has_gradient, norm
from lintgrad.verify.child.watchers.watcher import Watcher

_CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm")
_SCALE = "lintgrad scale"
"""Kept with the node that scales a loss: to hold the node here would keep its graph alive."""

_DEEP = 2000
"""Nodes of a graph that are searched for the scaling of a loss."""


@dataclass
class Mark:
    """What a backward left in the gradient of `leaf`: times `scale`, 0 for a loss that was not scaled."""

    leaf: torch.Tensor
    scale: float
    lines: Lines
    updated: Lines | None = None

    @property
    def there(self) -> bool:
        """Whether the gradient has not been cleared since."""
        return has_gradient(self.leaf)


@dataclass
class Scaling(Watcher):
    """Sees `scaled-clip`, `scaled-step`, `plain-backward` and `early-update`; `mixed-backward` at each."""

    marks: dict[int, Mark] = field(default_factory=dict)
    scales: bool = False
    running: float = 0.0
    inside: bool = False

    def install(self) -> None:
        """Wrap the scaler's methods and torch's clips."""
        scaler = torch.amp.GradScaler
        for name, wrap in (("scale", self._scale), ("unscale_", self._unscale), ("step", self._step)):
            setattr(scaler, name, wrap(getattr(scaler, name)))
        scaler.update = self._update(scaler.update)
        for name in _CLIPS:
            clip = getattr(torch.nn.utils, name, None)
            if clip is not None:
                watched = self._clip(clip)
                setattr(torch.nn.utils, name, watched)
                setattr(torch.nn.utils.clip_grad, name, watched)

    def begins(self, walk: Walk, roots: Sequence[torch.Tensor], given: Sequence[torch.Tensor | None]) -> None:
        """Find out whether a scaled loss is in what this backward walks, and whether autocast is on."""
        del given
        self.running = 0.0
        if walk.fills:
            self.saw("mixed-backward", lines=walk.lines, mixed=torch.is_autocast_enabled("cpu"))
        todo = [root.grad_fn for root in roots if root.grad_fn is not None] if self.scales else []
        seen: set[int] = set()
        while todo and len(seen) < _DEEP and not self.running:
            node = todo.pop()
            if node is None or id(node) in seen:
                continue
            seen.add(id(node))
            self.running = node.metadata.get(_SCALE, 0.0)
            todo += [one for one, _ in node.next_functions]

    def reaches(self, walk: Walk, leaves: Sequence[torch.Tensor]) -> None:
        """Mark the leaves' gradients."""
        if walk.fills:
            for leaf in leaves:
                self.marks[id(leaf)] = Mark(leaf, self.running, walk.lines)

    def steps(self, optimizer: torch.optim.Optimizer) -> None:
        """A step that no scaler takes meets scaled gradients, or does not."""
        if not self.inside:
            self._meet("scaled-step", held(optimizer))

    def _meet(self, kind: str, leaves: Iterable[torch.Tensor]) -> None:
        mine = [leaf for leaf in leaves if has_gradient(leaf)]
        marked = [mark for leaf in mine if (mark := self.marks.get(id(leaf))) is not None and mark.scale]
        self.saw(
            kind,
            marked=len(marked),
            parameters=len(mine),
            scale=max((mark.scale for mark in marked), default=0.0),
            norm=norm(leaf.grad for leaf in mine),
        )

    def _scale(self, scale: Callable[..., Any]) -> Callable[..., Any]:
        def watched(scaler: Any, outputs: Any) -> Any:
            result = scale(scaler, outputs)
            if scaler.is_enabled():
                for one in [result] if isinstance(result, torch.Tensor) else list(result):
                    if one.grad_fn is not None:
                        one.grad_fn.metadata[_SCALE] = scaler.get_scale()
                        self.scales = True
            return result

        return watched

    def _unscale(self, unscale: Callable[..., Any]) -> Callable[..., Any]:
        def watched(scaler: Any, optimizer: Any) -> Any:
            result = unscale(scaler, optimizer)
            if scaler.is_enabled():
                self._divided(scaler, optimizer)
            return result

        return watched

    def _divided(self, scaler: Any, optimizer: Any) -> None:
        """The optimizer's gradients were divided by the scale, be they multiplied by it or not."""
        told: set[tuple[str, Lines]] = set()
        for leaf in held(optimizer):
            mark = self.marks.pop(id(leaf), None)
            if mark is None or not mark.there:
                continue
            if not mark.scale and ("plain-backward", mark.lines) not in told:
                told.add(("plain-backward", mark.lines))
                self.saw("plain-backward", lines=mark.lines, scale=scaler.get_scale())
            if mark.scale and mark.updated and ("early-update", mark.updated) not in told:
                told.add(("early-update", mark.updated))
                self.saw("early-update", lines=mark.updated, was=mark.scale, now=scaler.get_scale())

    def _step(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def watched(scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            self.inside = True
            try:
                return step(scaler, optimizer, *args, **kwargs)
            finally:
                self.inside = False

        return watched

    def _update(self, update: Callable[..., Any]) -> Callable[..., Any]:
        def watched(scaler: Any, *args: Any, **kwargs: Any) -> Any:
            for mark in self.marks.values():
                if mark.scale and mark.there:
                    mark.updated = mark.updated or user_lines()
            return update(scaler, *args, **kwargs)

        return watched

    def _clip(self, clip: Callable[..., Any]) -> Callable[..., Any]:
        def watched(parameters: Any, *args: Any, **kwargs: Any) -> Any:
            given = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
            limit = args[0] if args else kwargs.get("max_norm", 0.0)
            if not (isinstance(limit, int | float) and math.isinf(limit)):  # else it only measures
                self._meet("scaled-clip", [leaf for leaf in given if isinstance(leaf, torch.Tensor)])
            return clip(given, *args, **kwargs)

        return watched
