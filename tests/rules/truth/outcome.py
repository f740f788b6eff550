"""What is left of a run: enough to say whether two runs came to the same."""

from __future__ import annotations

import hashlib
from types import FunctionType, ModuleType
from typing import Any

import torch


def digest(namespace: dict[str, Any]) -> str:
    """A hash of all values of a program's names: tensors with their gradients, modules, containers."""
    parts = list[str]()
    seen = set[int]()
    for name in sorted(namespace):
        if not name.startswith("__"):
            parts.append(f"{name}={_describe(namespace[name], seen)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _describe(value: Any, seen: set[int]) -> str:
    if isinstance(value, (int, float, str, bytes, bool, type(None))):
        return repr(value)
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if id(value) in seen or isinstance(value, (ModuleType, FunctionType, type)):
        return type(value).__name__
    seen.add(id(value))
    if isinstance(value, dict):
        return ",".join(f"{key!r}:{_describe(item, seen)}" for key, item in value.items())
    if isinstance(value, (list, tuple, set)):
        return ",".join(_describe(item, seen) for item in value)
    return f"{type(value).__name__}({_describe(getattr(value, '__dict__', None), seen)})"


def _tensor(tensor: torch.Tensor) -> str:
    graph = type(tensor.grad_fn).__name__
    gradient = None if not tensor.is_leaf else tensor.grad
    return f"{tensor.tolist()} {tensor.dtype} {tensor.requires_grad} {graph} {_describe(gradient, set())}"
