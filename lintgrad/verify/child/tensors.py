"""Small questions to torch's tensors and autograd nodes, none of which may raise or keep a graph alive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch


def below(roots: Iterable[Any]) -> Iterator[Any]:
    """Each node under `roots` once, those that stand for leaves left out."""
    seen = set[Any]()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node is not None and node not in seen and not is_leaf(node):
            seen.add(node)
            yield node
            stack += [further for further, _ in node.next_functions]


def leaves(roots: list[Any]) -> list[torch.Tensor]:
    """The leaves that a backward from `roots` may reach."""
    found = dict[int, torch.Tensor]()
    for node in [*below(roots), *roots]:
        if node is not None:
            nexts = [node, *(further for further, _ in node.next_functions)]
            found |= {id(n.variable): n.variable for n in nexts if n is not None and is_leaf(n)}
    return list(found.values())


def is_leaf(node: Any) -> bool:
    """Whether a node stands for a leaf: it adds to the leaf's `.grad`."""
    return hasattr(node, "variable")


def root(tensor: torch.Tensor) -> Any:
    """The node that made a tensor; None where none did."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        # torch refuses to say for a view that was made without gradients and then written to.
        return None


def start(tensor: torch.Tensor) -> Any:
    """The node that a backward from a tensor begins at, that of a leaf included; None where there is none."""
    node = root(tensor)
    if node is not None or not tensor.requires_grad:
        return node
    with torch.enable_grad():
        return tensor.view_as(tensor).grad_fn.next_functions[0][0]


def tensors(value: Any, depth: int = 3) -> Iterator[torch.Tensor]:
    """The tensors in nested lists, tuples and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)) and depth:
        for item in value:
            yield from tensors(item, depth - 1)
    elif isinstance(value, dict) and depth:
        yield from tensors(list(value.values()), depth - 1)


def version(tensor: torch.Tensor) -> int:
    """How often the tensor's memory was written to; -1 where nobody counts."""
    try:
        return int(tensor._version)  # noqa: SLF001 - its only name
    except RuntimeError:
        return -1


def place(tensor: torch.Tensor) -> int:
    """The address of the tensor's memory, shared by its views; 0 where it has none."""
    try:
        return int(tensor.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError):
        return 0


_SAVED: dict[str, list[str]] = {}
"""By a node's name: its attributes that hold what it saved."""


def saved(node: Any) -> Iterator[torch.Tensor]:
    """The tensors that a node keeps for its backward; none where they are freed."""
    name = node.name()
    if name not in _SAVED:
        _SAVED[name] = [a for a in dir(node) if a.startswith("_saved_") or a == "saved_tensors"]
    for attribute in _SAVED[name]:
        try:
            value = getattr(node, attribute)
        except RuntimeError:
            continue  # freed, or written to since
        yield from tensors(value, 1)


def norm(gradients: Iterable[torch.Tensor | None]) -> float:
    """The norm of all gradients together."""
    total = 0.0
    for gradient in gradients:
        if gradient is not None and not gradient.is_sparse:
            total += float(gradient.detach().double().pow(2).sum())
    return float(total**0.5)


_WEIGHTS: dict[int, torch.Tensor] = {}


def digest(gradients: Iterable[torch.Tensor | None]) -> str:
    """A text that differs where the gradients' values do: a weighted sum of each."""
    parts = list[str]()
    for gradient in gradients:
        if gradient is None:
            parts.append("-")
            continue
        values = gradient.detach().to_dense().double().flatten()
        size = values.numel()
        if size not in _WEIGHTS:
            _WEIGHTS[size] = torch.arange(1, size + 1, dtype=torch.float64).cos()
        parts.append(repr(float(values @ _WEIGHTS[size])))
    return " ".join(parts)


def has_gradient(tensor: torch.Tensor) -> bool:
    """Whether the leaf's `.grad` is there and not all zero."""
    gradient = tensor.grad
    if gradient is None:
        return False
    return bool((gradient.coalesce().values() if gradient.is_sparse else gradient).any())
