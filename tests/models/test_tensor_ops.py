"""The table of tensor functions against what torch returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
import torch.nn.functional as F  # noqa: N812  torch's own name for it

from lintgrad.models.tensor_ops import OpInfo, bind, known_names, op_info

pytestmark = pytest.mark.filterwarnings("ignore")

# Names that act on the process, read files, want devices, or take a function to call.
UNTRIED = {
    *("apply_", "map_", "map2_", "backward", "save", "seed", "manual_seed", "from_file", "pin_memory"),
    *("set_default_device", "set_default_dtype", "set_printoptions", "set_grad_enabled", "cuda", "xpu"),
    *("mtia", "ipu"),
}

# What torch does otherwise than the table says, and why the table is right for its reader.
EXCEPTIONS = {
    "type": "without an argument it gives a string",
    "adaptive_max_pool1d": "torch's own gives indices too, that of torch.nn.functional does not",
    "fft": "torch.fft is a module",
    "retain_grad": "gives None",
    "register_hook": "gives a handle, which is of no use here",
    "set_": "without an argument it empties the tensor",
    "einsum": "may give a view, as does any composite",
    "index": "without an index it gives the tensor",
    "from_dlpack": "shares memory with its argument, which is no tensor as a rule",
}


def tensor() -> torch.Tensor:
    return (torch.rand(4, 4) * 0.8 + 0.1).requires_grad_().clone()


def arguments() -> Iterator[tuple[object, ...]]:
    index, mask = torch.randint(0, 4, (4, 4)), torch.rand(4, 4) > 0.5
    yield from ((), (tensor(),), (1,), (0.5,), (0, 1), (tensor(), tensor()), (mask,), (index,), (0, index))
    yield from ((0, index, tensor()), (0, torch.arange(4), tensor()), (mask, 0.0), (2, 1), ((2, 8),))
    yield from ((1, 0, 2), (0, torch.arange(4), 0.0), (mask, tensor()), (torch.randint(0, 4, (4,)),))


def owners(own: torch.Tensor) -> Iterator[object]:
    yield from (own, torch, F, torch.linalg, torch.special, torch.fft)


def call(name: str) -> tuple[torch.Tensor, object, bool] | None:
    """A tensor, what the first call of `name` on it that works gives, and whether it had arguments."""
    torch.manual_seed(0)
    own = tensor()
    for owner in owners(own):
        worked, function = attempt(getattr, (owner, name))
        if not worked:
            continue
        if not callable(function):
            return own, function, False
        for given in arguments():
            full = given if owner is own else (own, *given)
            worked, result = attempt(function, full)
            if worked:
                return own, result, bool(given)
    return None


def attempt(function: Callable[..., object], given: tuple[object, ...]) -> tuple[bool, object]:
    try:
        return True, function(*given)
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, AssertionError, ArithmeticError):
        return False, None


TRIED = [name for name in known_names() if name not in UNTRIED and name not in EXCEPTIONS]


def test_most_names_can_be_tried() -> None:
    assert sum(call(name) is not None for name in TRIED) > 480


@pytest.mark.parametrize("name", TRIED)
def test_the_table_tells_what_torch_returns(name: str) -> None:
    called = call(name)
    info = op_info(name)
    assert info is not None
    if called is None:  # counted above
        return
    own, result, had_arguments = called
    parts = result if isinstance(result, (tuple, list)) else (result,)
    first = parts[0] if parts and isinstance(parts[0], torch.Tensor) else result
    if not isinstance(first, torch.Tensor):
        assert info.result in ("python", "none")
        return
    agree_on_graph(info, first)
    agree_on_size(info, first, had_arguments=had_arguments)
    agree_on_parts(info, result)
    if not name.endswith("_") and not info.maybe_view and info.result != "factory":
        assert info.view == shares(own, first)


def agree_on_graph(info: OpInfo, first: torch.Tensor) -> None:
    carries = first.grad_fn is not None
    assert carries == (info.result == "graph")
    assert info.integer == (not (first.is_floating_point() or first.is_complex()))


def agree_on_size(info: OpInfo, first: torch.Tensor, *, had_arguments: bool) -> None:
    if info.numel == "same" and info.parts == 1:
        assert first.numel() == 16
    if info.numel in ("one", "reduce", "loss") and not had_arguments:
        assert first.numel() == 1


def agree_on_parts(info: OpInfo, result: object) -> None:
    if not isinstance(result, (tuple, list)):
        assert info.parts == 1 or info.parts_with_dim
        return
    assert info.parts in (0, len(result))
    tensors = [part for part in result[1:] if isinstance(part, torch.Tensor)]
    if info.parts and tensors:
        assert info.first_only == (not tensors[0].requires_grad)


def shares(own: torch.Tensor, other: torch.Tensor) -> bool:
    if other.is_sparse or other.layout != torch.strided:
        return False
    return bool(own.untyped_storage().data_ptr() == other.untyped_storage().data_ptr())


# Their version moves when the size does.
RESIZING = {"resize_", "resize_as_"}
IN_PLACE = [name for name in dir(torch.Tensor) if name.endswith("_") and not name.startswith("_")]


@pytest.mark.parametrize(
    "name", [n for n in IN_PLACE if op_info(n) is not None and n not in UNTRIED | RESIZING]
)
def test_an_in_place_name_moves_the_version(name: str) -> None:
    info = op_info(name)
    assert info is not None
    assert not info.pure
    torch.manual_seed(0)
    for given in arguments():
        own = tensor().detach()
        before = own._version
        if attempt(getattr(own, name), given)[0]:
            assert (own._version > before) == info.inplace
            return


def test_all_in_place_methods_but_the_sparse_ones_are_known() -> None:
    unknown = {name for name in IN_PLACE if op_info(name) is None}
    assert unknown == {"resize_as_sparse_", "sparse_resize_", "sparse_resize_and_clear_"}


def test_the_public_methods_are_known() -> None:
    public = {n for n in dir(torch.Tensor) if not n.startswith("_") and callable(getattr(torch.Tensor, n))}
    unknown = {n for n in public if op_info(n) is None and not n.endswith("_")}
    assert {n for n in unknown if not n.startswith(("q_", "to_", "sparse", "is_"))} == RARE


RARE = {
    *("as_strided_scatter", "ccol_indices", "hash_tensor", "int_repr", "module_load", "qscheme", "reinforce"),
    *("resize", "resize_as", "row_indices", "slice_inverse", "sspaddmm", "symeig"),
}


@pytest.mark.parametrize(
    ("name", "positional", "keywords", "expected"),
    [
        ("max", [True, False], (), ("input", "dim")),
        ("max", [True, True], (), ("input", "other")),
        ("cross_entropy", [True, True, True], (), ("input", "target", "weight")),
        ("view", [True, False, False], (), ("input", "size", "size")),
        ("dropout", [True, False, False], (), ("input", "p", "training")),
        ("scatter", [True, False, True, True], (), ("input", "dim", "index", "src")),
        ("clamp", [True, False, False], (), ("input", "min", "max")),
        ("clamp_", [True], ("min",), ("input",)),
        ("einsum", [False, True, True], (), ("equation", "operands", "operands")),
        ("F.layer_norm", [True, False, True, True], (), ("input", "normalized_shape", "weight", "bias")),
        ("float", [True], (), ("input",)),
        ("frobnicate", [True, False], (), ("", "")),
    ],
)
def test_arguments_find_their_parameters(
    name: str, positional: list[bool], keywords: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert bind(name, positional, keywords) == expected


def test_a_methods_own_tensor_stands_first() -> None:
    assert bind("where", [True, True, True]) == ("condition", "input", "other")
    assert bind("where", [True, True, True], method=True) == ("input", "condition", "other")


def test_tensor_args_are_the_parameters_for_tensors() -> None:
    info = op_info("binary_cross_entropy")
    assert info is not None
    assert info.tensor_args == ("input", "target", "weight")


def test_a_statement_is_pure_when_nothing_is_written() -> None:
    pure = {name: op_info(name) for name in ("detach", "to", "item", "clamp", "float", "relu")}
    assert all(info is not None and info.pure for info in pure.values())
    impure = {name: op_info(name) for name in ("detach_", "zero_", "backward", "register_hook", "setitem")}
    assert all(info is not None and not info.pure for info in impure.values())


def test_an_unknown_name_is_none() -> None:
    assert op_info("frobnicate") is None
    assert op_info("item_") is None
