"""Leaves that the program makes, backwards that reach such leaves alone, and gradients read of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from lintgrad.verify.child.frames import Lines, user_lines
from lintgrad.verify.child.gradients import held
from lintgrad.verify.child.nodes import KEY as TOKEN
from lintgrad.verify.child.record import Sight, Walk
from lintgrad.verify.child.tensors import root
from lintgrad.verify.child.watchers.updates import made_by_update
from lintgrad.verify.child.watchers.watcher import Call, Watcher

_KEY = "lintgrad_leaf"
_HELD = "lintgrad_held"
_SETTER = torch.Tensor.requires_grad.__set__
_MAKERS = ("tensor", "as_tensor", "requires_grad_")


@dataclass(eq=False)
class _Made:
    """A leaf that the program made: where, and whether its gradient is wanted."""

    lines: Lines
    wanted: bool = False


@dataclass
class Leaves(Watcher):
    """Sees `end`: a backward all of whose leaves were made where the sight lies (`walk`, `at`, `wanted`).

    And `unkept`: the gradient of a tensor that is no leaf was read (`op`, `made`, `firm`).
    """

    ends: list[tuple[Walk, list[_Made]]] = field(default_factory=list)

    def install(self) -> None:
        """See leaves that `Variable` makes, of which no mode is told."""
        make = torch.autograd.Variable.__new__

        def made(kind: Any, *args: Any, **kwargs: Any) -> Any:
            tensor = make(kind, *args, **kwargs)
            if tensor.requires_grad and tensor.is_leaf:
                self._make(tensor)
            return tensor

        _replace_new(torch.autograd.Variable, made)

    def called(self, call: Call) -> None:
        """See the usual ways to make a leaf."""
        if call.func == _SETTER:
            made = call.given[:1]
        elif call.name in _MAKERS:
            made = call.results[:1]
        else:
            return
        for tensor in made:
            if tensor.requires_grad and tensor.is_leaf:
                self._make(tensor)

    def read(self, tensor: torch.Tensor, gradient: torch.Tensor | None) -> None:
        """Somebody wants this gradient: of a tensor that is no leaf there is none."""
        mine = tensor.__dict__.get(_KEY)
        if mine is not None:
            mine.wanted = True
        if not tensor.is_leaf and not tensor.retains_grad and gradient is None and not made_by_update(tensor):
            node = root(tensor)
            token = None if node is None else node.metadata.get(TOKEN)
            if token is not None:
                self.saw("unkept", op=token.op, made=token.line, firm=token.firm)

    def built(self, optimizer: torch.optim.Optimizer) -> None:
        """What an optimizer holds is meant to be a leaf."""
        for tensor in held(optimizer):
            tensor.__dict__[_HELD] = True
            mine = tensor.__dict__.get(_KEY)
            if mine is not None:
                mine.wanted = True

    def reaches(self, walk: Walk, leaves: Sequence[torch.Tensor]) -> None:
        """Keep the backwards that reach nothing else."""
        made = [leaf.__dict__.get(_KEY) for leaf in leaves]
        if made and all(made):
            self.ends.append((walk, [one for one in made if one is not None]))

    def sights(self) -> list[Sight]:
        """With the ends, of which it is known now whether they are wanted."""
        ends = [
            Sight(one.lines, "end", {"walk": walk.number, "wanted": any(m.wanted for m in made)})
            for walk, made in self.ends
            for one in made
        ]
        return [*self.seen, *ends]

    def _make(self, tensor: torch.Tensor) -> None:
        # What is frozen and thawed has been a leaf all the time.
        is_old = _HELD in tensor.__dict__ or isinstance(tensor, torch.nn.Parameter)
        tensor.__dict__[_KEY] = _Made(user_lines(), wanted=is_old)


def _replace_new(kind: Any, new: Callable[..., Any]) -> None:
    kind.__new__ = staticmethod(new)
