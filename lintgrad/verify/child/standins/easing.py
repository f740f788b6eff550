"""Checks of torch's own that stand-ins would fail, made lenient for the rest of this process."""

from __future__ import annotations

from typing import Any

import torch
from torch.distributions import Distribution

from lintgrad.verify.child.standins.kinds import Model
from lintgrad.verify.child.standins.values import Unknown


def ease() -> None:
    """Let modules hold unknown layers, and optimizers take unknown numbers."""
    Distribution.set_default_validate_args(value=False)
    _modules()
    for name in torch.optim.__all__:
        kind = getattr(torch.optim, name)
        if isinstance(kind, type) and kind is not torch.optim.Optimizer:
            _optimizer(kind)


def _modules() -> None:
    add = torch.nn.Module.add_module

    def add_module(self: Any, name: str, module: Any) -> None:
        add(self, name, Model() if isinstance(module, Unknown) else module)

    torch.nn.Module.add_module = add_module


def _optimizer(kind: Any) -> None:
    make = kind.__init__

    def init(self: Any, params: Any, *args: Any, **kwargs: Any) -> None:
        given = [Model().parameters() if isinstance(params, Unknown) else params]
        make(self, *given, *map(_number, args), **{key: _number(value) for key, value in kwargs.items()})

    kind.__init__ = init


def _number(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(_number(item) for item in value)
    return 0.01 if isinstance(value, Unknown) else value
