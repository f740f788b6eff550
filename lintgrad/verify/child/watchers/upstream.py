"""Backwards that are given a tensor's own value as the gradient to begin with."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from lintgrad.verify.child.record import Walk
from lintgrad.verify.child.watchers.watcher import Watcher


class Upstream(Watcher):
    """Sees `own-gradient`: `value` is the first number of what was given, `walk` the backward."""

    def begins(self, walk: Walk, roots: Sequence[torch.Tensor], given: Sequence[torch.Tensor | None]) -> None:
        """Compare the roots with their gradients."""
        if not walk.fills:
            return
        for root, gradient in zip(roots, given, strict=False):
            if gradient is not None and _is_own(root, gradient):
                value = float(gradient.flatten()[0]) if gradient.numel() else 0.0
                self.saw("own-gradient", walk.lines, value=value, walk=walk.number)


def _is_own(root: torch.Tensor, gradient: torch.Tensor) -> bool:
    """Whether a root's own value is its gradient, and does not happen to be 1."""
    same = root.shape == gradient.shape and torch.equal(root.detach(), gradient.detach())
    return same and not bool((gradient == 1).all())
