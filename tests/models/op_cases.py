"""Calls for which the op table is compared with real torch, each under every pattern of gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import torch

Make = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """`call(*operands)`, named `op` in the table; `flags` are the keywords of `saved`."""

    op: str
    call: Callable[..., object]
    operands: Sequence[Make]
    flags: dict[str, bool] = field(default_factory=dict[str, bool])
    note: str = ""
    variant: str = ""
    fixed: tuple[int, ...] = ()  # operands that never need a gradient
    partial: bool = False  # the table may leave out what is kept, as long as it tells that something is

    @property
    def id(self) -> str:
        return "-".join(
            filter(None, [self.op, self.note, self.variant, *(f"{k}={v}" for k, v in self.flags.items())])
        )


def f(*shape: int) -> Make:
    """Floats between 0.1 and 0.9."""
    return lambda: torch.rand(shape) * 0.8 + 0.1


def i(high: int, *shape: int) -> Make:
    """Integers below `high`."""
    return partial(torch.randint, 0, high, shape)


def b(*shape: int) -> Make:
    """A mask."""
    return lambda: torch.rand(shape) > 0.5


def n(value: object) -> Make:
    """A Python number."""
    return lambda: value


def spd(size: int) -> Make:
    """A positive definite matrix."""
    return lambda: torch.eye(size) * 2 + 0.1


X = f(3, 4)
DIM = {"dim": True}
EVAL = {"training": False}
INPLACE = {"inplace": True}


def method(name: str, *arguments: object) -> Callable[..., object]:
    return lambda x: getattr(x, name)(*arguments)
