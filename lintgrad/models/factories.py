"""New tensors: zeros, randn, tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.values import (
    Cut,
    ListV,
    Lit,
    Numel,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import shapes
from lintgrad.models.tensor_ops import OpInfo
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def factory(
    m: Machine,
    info: OpInfo,
    values: list[Value],
    keywords: dict[str, Value],
    node: nodes.Node,
) -> Tensor:
    """A new tensor: a leaf when it is made with requires_grad=True, else without a graph."""
    wants = keywords.get("requires_grad")
    if isinstance(wants, Lit) and wants.value is True:
        result = m.leaf_tensor(node, "", parameter=False)
    else:
        result = Tensor(m.storage(), site=m.site(node))
    result.numel = _made_numel(info, values, keywords)
    if info.name in _SIZED:
        result.shape = shapes.of_sizes(_sizes(values))
    elif info.name.endswith("_like") and values and isinstance(values[0], Tensor):
        result.shape = values[0].shape
    if info.name in ("tensor", "scalar_tensor", "new_tensor"):
        source = next((t for t in tensors_of(m, values, node) if t.tape is not None), None)
        if source is not None and m.grad:
            result.cut = Cut(m.site(node), f"torch.{info.name}", source)
            m.sever(node, f"torch.{info.name}", [source.tape] if source.tape is not None else [])
            if result.leaf is not None:
                result.leaf.rewrapped = result.cut
        elif result.leaf is not None:
            result.leaf.rewrapped = next((v.cut for v in numbers_of(values) if v.cut is not None), None)
    return result


def tensors_of(m: Machine, values: list[Value], node: nodes.Node) -> list[Tensor]:
    """The tensors among `values`, lists taken apart."""
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, ListV):
            found += tensors_of(m, value.items, node)
        elif isinstance(value, (Tensor, Unknown)):
            tensor = m.as_tensor(value, node)
            found += [tensor] if tensor is not None else []
    return found


def numbers_of(values: list[Value]) -> list[Symbol]:
    """The numbers among `values` that were read from tensors, lists taken apart."""
    found: list[Symbol] = []
    for value in values:
        if isinstance(value, ListV):
            found += numbers_of(value.items)
        elif isinstance(value, Symbol):
            found.append(value)
    return found


def _made_numel(info: OpInfo, values: list[Value], keywords: dict[str, Value]) -> Numel:
    if info.name in ("tensor", "scalar_tensor") and values:
        return _content_numel(values[0])
    if info.name.endswith("_like"):
        return values[0].numel if values and isinstance(values[0], Tensor) else Numel.UNKNOWN
    if info.name in _SIZED:
        return _size_numel(_sizes(values))
    if info.name in ("full", "randint"):
        sizes_of = [v for v in values if isinstance(v, ListV)]
        return _size_numel(sizes_of[0].items) if sizes_of else Numel.UNKNOWN
    return Numel.UNKNOWN


_SIZED = ("randn", "rand", "zeros", "ones", "empty")


def _sizes(values: list[Value]) -> list[Value]:
    return values[0].items if len(values) == 1 and isinstance(values[0], ListV) else values


def _content_numel(content: Value) -> Numel:
    if isinstance(content, (Lit, Symbol)):
        return Numel.ONE
    if isinstance(content, ListV) and content.exact:
        if len(content.items) == 1:
            return _content_numel(content.items[0])
        return Numel.MANY if content.items else Numel.UNKNOWN
    return Numel.UNKNOWN


def _size_numel(sizes: list[Value]) -> Numel:
    """One element for no or only sizes of 1; many when one size is known to be larger."""
    numbers = [v.value if isinstance(v, Lit) else None for v in sizes]
    if all(n == 1 for n in numbers):
        return Numel.ONE
    big = any(isinstance(n, int) and n > 1 for n in numbers)
    return Numel.MANY if big and 0 not in numbers else Numel.UNKNOWN
