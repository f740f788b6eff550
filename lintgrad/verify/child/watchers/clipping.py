"""Clips of gradients, and whether there was anything to clip."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch

from lintgrad.verify.child.gradients import Gradients
from lintgrad.verify.child.watchers.watcher import Watcher

_CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm")


@dataclass
class Clipping(Watcher):
    """Sees `clip` at each: `waiting` of its `parameters` have a gradient that no step has used."""

    gradients: Gradients | None = None

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
            self.saw("clip", waiting=self.gradients.waiting(leaves), parameters=len(leaves))
            return clip(given, *args, **kwargs)

        return watched
