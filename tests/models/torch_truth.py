"""What real torch saves for the backward of one call: the truth that the op table is held to.

An operand or a result counts as saved when changing it in place, behind autograd's back but not
behind its version counter, makes backward raise. Anything else that is saved is seen by its storage
through `saved_tensors_hooks`; a number that was wrapped as a tensor has no hook, and shows only in
that a second backward raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch

Value = object
Make = Callable[[], Value]

_CHANGED = "modified by an inplace operation"
_FREED = "backward through the graph a second time"


@dataclass(frozen=True)
class Truth:
    """What a call saved; `graph` is False when its result has none."""

    graph: bool
    inputs: tuple[int, ...] = ()
    result: bool = False
    other: bool = False
    second_raises: bool = False


@dataclass(frozen=True)
class Run:
    """One execution: the operands, all tensors it gave, and a scalar on top of each."""

    operands: list[Value]
    results: list[torch.Tensor]
    roots: list[torch.Tensor]


def observe(call: Callable[..., Value], makers: Sequence[Make], needs: Sequence[bool]) -> Truth:
    """Run `call` on fresh operands, those of `needs` being non-leaf tensors that need a gradient."""

    def run() -> Run:
        torch.manual_seed(0)
        operands = [_operand(make(), need) for make, need in zip(makers, needs, strict=True)]
        results = _tensors(call(*operands))
        # `sum` saves nothing; taken now, it keeps the graph that a change of a view would rewrite.
        sums = [r.sum() for r in results if r.requires_grad]
        return Run(operands, results, [s.real if s.is_complex() else s for s in sums])

    first = run()
    if not first.roots:
        return Truth(graph=False)
    inputs = tuple(k for k in range(len(makers)) if _raises_after_change(run(), "operands", k))
    result = _raises_after_change(run(), "results", 0)
    torch.autograd.backward(first.roots)
    second = _message(lambda: torch.autograd.backward(first.roots))
    assert second == "" or _FREED in second, second
    other = _foreign_storage(call, makers, needs) or (bool(second) and not inputs and not result)
    return Truth(True, inputs, result, other, bool(second))


def _operand(value: Value, need: bool) -> Value:
    if isinstance(value, torch.Tensor) and need:
        return value.requires_grad_().clone()
    return value


def _tensors(value: Value) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for item in value for t in _tensors(item)]
    return []


def _message(action: Callable[[], None]) -> str:
    try:
        action()
    except RuntimeError as error:
        return str(error)
    return ""


def _raises_after_change(run: Run, what: Literal["operands", "results"], position: int) -> bool:
    target = run.operands[position] if what == "operands" else run.results[position]
    if not isinstance(target, torch.Tensor):
        return False
    torch.autograd.graph.increment_version(target)
    message = _message(lambda: torch.autograd.backward(run.roots))
    assert message == "" or _CHANGED in message, message
    return bool(message)


def _foreign_storage(call: Callable[..., Value], makers: Sequence[Make], needs: Sequence[bool]) -> bool:
    """Whether a tensor is saved that is neither an operand nor the first result."""
    torch.manual_seed(0)
    operands = [_operand(make(), need) for make, need in zip(makers, needs, strict=True)]
    kept: list[torch.Tensor] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        kept.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        results = _tensors(call(*operands))
    known = {_storage(t) for t in _tensors(operands) + results[:1]}
    return any(_storage(t) not in known for t in kept)


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage().data_ptr())
