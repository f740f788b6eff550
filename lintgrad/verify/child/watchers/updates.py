"""Updates that make a new tensor of a leaf and its gradient, and what becomes of the leaf's name.

The data is followed: from a leaf's `.grad` to what is computed of it, to a tensor made of that and the leaf.
If the program then reads the gradient of the new tensor, or cannot go back from it, it took it for the leaf.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lintgrad.verify.child.frames import Lines, user_lines
from lintgrad.verify.child.record import Walk
from lintgrad.verify.child.watchers.watcher import Call, Watcher

_GRADIENT = "lintgrad_gradient_of"
_LEAF = "lintgrad_values_of"
_UPDATE = "lintgrad_update"
_FROM_UPDATE = "lintgrad_from_update"
_DATA = torch.Tensor.data.__get__


@dataclass
class Updates(Watcher):
    """Sees `rebound` at the update: `read` is the line that read the new tensor's gradient, or 0; `error`."""

    is_on: bool = False

    def read(self, tensor: torch.Tensor, gradient: torch.Tensor | None) -> None:
        """Mark the gradient of a leaf; see one that is read where an update has left none."""
        if tensor.is_leaf and tensor.requires_grad:
            if gradient is not None:
                gradient.__dict__[_GRADIENT] = {id(tensor)}
                self.is_on = True
        elif gradient is None and made_by_update(tensor):
            self.saw("rebound", tensor.__dict__[_UPDATE], read=(user_lines() or (0,))[0], error="")

    def called(self, call: Call) -> None:
        """Hand the marks on."""
        if call.func == _DATA or call.name == "detach":
            for tensor in call.given[:1]:
                _mark(call.results, _LEAF, set(_leaves(tensor)))
        if not self.is_on:
            return
        gradients, leaves, updates = _marks(call.given)
        fresh = [t for t in call.results if not any(t is given for given in call.given)]
        if gradients & leaves:
            _mark(fresh, _UPDATE, user_lines())
        elif gradients:
            _mark(fresh, _GRADIENT, gradients)
        elif updates:
            _mark([t for t in fresh if not t.requires_grad], _FROM_UPDATE, updates[0])

    def failed(self, walk: Walk, roots: Sequence[torch.Tensor]) -> None:
        """A backward had no graph to go back through; it may have been lost in an update."""
        if "does not require grad" in walk.error:
            for update in _marks(roots)[2]:
                self.saw("rebound", update, read=0, error=walk.error)


def made_by_update(tensor: torch.Tensor) -> bool:
    """Whether a tensor is what an update made of a leaf, and is none itself."""
    return _UPDATE in tensor.__dict__ and not (tensor.is_leaf and tensor.requires_grad)


def _marks(given: Sequence[torch.Tensor]) -> tuple[set[int], set[int], list[Lines]]:
    gradients, leaves, updates = set[int](), set[int](), list[Lines]()
    for tensor in given:
        marks = tensor.__dict__
        gradients |= marks.get(_GRADIENT, set())
        leaves.update(_leaves(tensor))
        updates += [marks[key] for key in (_UPDATE, _FROM_UPDATE) if key in marks]
    return gradients, leaves, updates


def _leaves(tensor: torch.Tensor) -> Iterator[int]:
    """The leaf that a tensor is, or whose values it has."""
    if tensor.is_leaf and tensor.requires_grad:
        yield id(tensor)
    yield from tensor.__dict__.get(_LEAF, ())


def _mark(made: Sequence[torch.Tensor], key: str, mark: Any) -> None:
    if mark:
        for tensor in made:
            tensor.__dict__.setdefault(key, mark)
