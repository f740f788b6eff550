"""Sizes of tensors, where constants tell them: enough to know which losses are no scalars."""

from __future__ import annotations

from math import prod

from lintgrad.machine.values import ListV, Lit, Numel, Tensor, Value
from lintgrad.models.tensor_ops import OpInfo

Shape = tuple[int, ...]

_KEEPS = frozenset(
    """
    clone contiguous detach to float double half cuda cpu relu sigmoid tanh exp log abs neg sqrt
    square softmax log_softmax gelu silu dropout clamp type requires_grad_ leaky_relu elu softplus
    sin cos pow
    """.split()
)
_PAIRS = frozenset("add sub mul div rsub pow maximum minimum".split())


def of_sizes(sizes: list[Value]) -> Shape | None:
    """The shape that constant sizes give; None when one is not known."""
    found: list[int] = []
    for size in sizes:
        if not isinstance(size, Lit) or not isinstance(size.value, int) or isinstance(size.value, bool):
            return None
        found.append(size.value)
    return tuple(found)


def of_result(name: str, values: list[Value], keywords: dict[str, Value]) -> Shape | None:
    """The shape of `name(*values, **keywords)` for elementwise operations and reductions."""
    tensors = [v for v in values if isinstance(v, Tensor)]
    if not tensors:
        return None
    if name in _PAIRS and len(values) == 2:
        return broadcast([_shape_of(v) for v in values])
    if name in _KEEPS:
        return tensors[0].shape
    if name in ("sum", "mean", "amax", "amin", "prod", "std", "var", "norm"):
        return _reduced(tensors[0].shape, values[1:], keywords)
    return None


def _shape_of(value: Value) -> Shape | None:
    if isinstance(value, Tensor):
        return value.shape
    return () if isinstance(value, Lit) else None


def broadcast(shapes: list[Shape | None]) -> Shape | None:
    """The shape of an elementwise operation on tensors of these shapes."""
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    width = max(len(shape) for shape in known)
    padded = [(1,) * (width - len(shape)) + shape for shape in known]
    return tuple(max(sizes) for sizes in zip(*padded, strict=True))


def _reduced(shape: Shape | None, rest: list[Value], keywords: dict[str, Value]) -> Shape | None:
    dim = keywords.get("dim", keywords.get("axis", rest[0] if rest else None))
    if dim is None:
        return ()
    dims = dim.items if isinstance(dim, ListV) else [dim]
    if shape is None or not all(isinstance(d, Lit) and isinstance(d.value, int) for d in dims):
        return None
    gone = {
        int(d.value) % max(len(shape), 1) for d in dims if isinstance(d, Lit) and isinstance(d.value, int)
    }
    keep = keywords.get("keepdim")
    if isinstance(keep, Lit) and keep.value is True:
        return tuple(1 if k in gone else size for k, size in enumerate(shape))
    return tuple(size for k, size in enumerate(shape) if k not in gone)


def numel(shape: Shape | None) -> Numel:
    """How many elements a shape has."""
    if shape is None or 0 in shape:
        return Numel.UNKNOWN
    return Numel.ONE if prod(shape) == 1 else Numel.MANY


def numel_of(info: OpInfo, tensors: list[Tensor], keywords: dict[str, Value], has_dim: bool) -> Numel:
    """Whether the result has one element."""
    if info.numel == "same" and len(tensors) == 1:
        return tensors[0].numel  # nothing is joined or broadcast
    match info.numel:
        case "one":
            return Numel.ONE
        case "reduce":
            return Numel.UNKNOWN if has_dim else Numel.ONE
        case "loss":
            reduction = keywords.get("reduction")
            if reduction is None:
                return Numel.ONE
            if isinstance(reduction, Lit):
                return Numel.MANY if reduction.value == "none" else Numel.ONE
            return Numel.UNKNOWN
        case _ if info.name in ("stack", "cat", "concat") and len(tensors) > 1:
            return Numel.MANY
        case "same":
            kinds = {t.numel for t in tensors}
            if Numel.MANY in kinds:
                return Numel.MANY
            return Numel.ONE if kinds == {Numel.ONE} else Numel.UNKNOWN
        case _:
            return Numel.UNKNOWN
