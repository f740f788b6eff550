"""Where results of `autograd.grad` that have no graph are added to tensors that have one.

What is computed of such results carries the lines of the calls that gave them, until it is detached or
made a number. A product with a loss is not looked at: a factor without a graph is a weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from tests.rules.truth.loops import user_line

KEY = "lintgrad_slopes"
SUMS = ("add", "add_", "__radd__", "sub", "sub_", "__rsub__", "rsub", "stack", "cat", "lerp", "addcmul")


@dataclass
class Slopes:
    """The lines of those calls of `autograd.grad` in a running example."""

    added: set[int] = field(default_factory=set)

    def came(self, results: Any) -> None:
        """`autograd.grad` gave `results`."""
        for tensor in tensors(results):
            if not tensor.requires_grad:
                tensor.__dict__[KEY] = {user_line()}

    def called(self, func: Any, given: Any, result: Any) -> None:
        """A function of torch was called with what is in `given`."""
        name = getattr(func, "__name__", "")
        lines = set[int]().union(*(tensor.__dict__.get(KEY, set()) for tensor in tensors(given)))
        if not lines or name == "detach":
            return
        for tensor in tensors(result):
            if not tensor.requires_grad:
                tensor.__dict__[KEY] = lines | tensor.__dict__.get(KEY, set())
            elif name in SUMS:
                self.added |= lines


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in nested containers."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from tensors(item)
    elif isinstance(value, dict):
        yield from tensors(list(value.values()))
