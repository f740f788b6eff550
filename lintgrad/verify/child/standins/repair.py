"""Calls into torch that fail on stand-ins' shapes, made again with operands that fit.

The graphs of the operands stay in the result, so that what the program does with it is still its own doing;
only sizes are invented.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from lintgrad.verify.child.standins.values import BATCH, WIDTH, Unknown
from lintgrad.verify.child.tensors import tensors

TELLING = (
    "second time",
    "modified by an inplace",
    "does not require grad",
    "scalar outputs",
    "leaf Variable",
)
"""What torch says of graphs: that is looked for, and not to be mended."""

_ONE = frozenset("item __float__ __int__ __bool__ __index__".split())
"""Calls that want a tensor of one element."""

_LEFT = frozenset("backward grad __setitem__ zero_ copy_ detach numpy".split())
"""Calls that are left to fail."""


def repaired(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> Any:
    """What `func` gives with operands that fit; NotImplemented where there are none."""
    if func.__name__ in _LEFT or any(words in str(error) for words in TELLING):
        return NotImplemented
    if func.__name__ in _ONE and isinstance(args[0], torch.Tensor) and args[0].numel():
        return func(args[0].flatten()[0])
    fitted = fitting(func.__name__, args)
    if fitted is not args:
        try:
            return func(*fitted, **kwargs)
        except (RuntimeError, TypeError, ValueError, IndexError):
            pass  # then by shape alone
    return _by_shape(args, kwargs)


def fitting(name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Operands of a known call whose first one is made to fit the others; `args` itself for other calls."""
    if name == "linear" and len(args) > 1:
        return (_shaped(args[0], (*_leading(args[0]), args[1].shape[1])), *args[1:])
    if name in ("conv1d", "conv2d", "conv3d") and len(args) > 1:
        weight = args[1]
        return (_shaped(args[0], (BATCH, weight.shape[1], *[16] * (weight.ndim - 2))), *args[1:])
    if name == "embedding":
        weight = args[0] if isinstance(args[0], torch.Tensor) and args[0].is_floating_point() else args[1]
        return (torch.randint(weight.shape[0], (BATCH, WIDTH)), weight, *args[2:])
    if name in ("cross_entropy", "nll_loss") and isinstance(args[0], torch.Tensor) and args[0].ndim > 1:
        given = args[0]
        return (given, torch.randint(given.shape[1], (given.shape[0], *given.shape[2:])), *args[2:])
    if name.endswith("_loss") and isinstance(args[0], torch.Tensor):
        return (args[0], _shaped(args[1], tuple(args[0].shape)), *args[2:])
    return args


def _leading(value: Any) -> tuple[int, ...]:
    return tuple(value.shape[:-1]) if isinstance(value, torch.Tensor) and value.ndim > 1 else (BATCH,)


def _shaped(value: Any, shape: tuple[int, ...]) -> torch.Tensor:
    """A tensor of this shape with the graph of `value`."""
    if isinstance(value, Unknown):
        return value.lg_tensor(shape)
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.mean() + torch.rand(shape)
    return torch.rand(shape)


def _by_shape(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A tensor like the first operand, with the graphs of all."""
    given = [tensor for tensor in tensors((args, kwargs)) if tensor.is_floating_point()]
    if not given:
        return NotImplemented
    total = sum((tensor.mean() for tensor in given if tensor.numel()), torch.zeros(()))
    return total + torch.rand(given[0].shape)
