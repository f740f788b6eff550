"""The table of layers against `torch.nn`: its classes, their parameters, what their forward saves."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import pytest
import torch
from torch import nn

from lintgrad.models.layers import (
    EVERY,
    LayerInfo,
    LayerSaved,
    layer_info,
    layer_names,
    layer_params,
    layer_saved,
)
from lintgrad.models.optable import known_ops
from lintgrad.models.tensor_ops import op_info
from tests.models.op_cases import Make, f, i

pytestmark = pytest.mark.filterwarnings("ignore")

Call = Callable[[nn.Module, torch.Tensor], object]


def once(layer: nn.Module, x: torch.Tensor) -> object:
    return layer(x)


def twice(layer: nn.Module, x: torch.Tensor) -> object:
    return layer(x, x)


def attend(layer: nn.Module, x: torch.Tensor) -> object:
    return layer(x, x, x)


def against_classes(layer: nn.Module, x: torch.Tensor) -> object:
    return layer(x, torch.tensor([0, 1]))


def unpool(layer: nn.Module, x: torch.Tensor) -> object:
    return layer(x, torch.arange(x.numel()).reshape(x.shape) % 4)


@dataclass(frozen=True)
class Case:
    name: str
    arguments: tuple[object, ...]
    input: Make
    call: Call = once
    variant: str = ""


IMAGE, SEQUENCE, ROWS, STEPS = f(2, 4, 6, 6), f(2, 4, 6), f(2, 4), f(5, 2, 4)

CASES = [
    Case("Linear", (4, 3), ROWS),
    Case("Bilinear", (4, 4, 3), ROWS, twice),
    Case("Conv1d", (4, 3, 2), SEQUENCE),
    Case("Conv2d", (4, 3, 2), IMAGE),
    Case("Conv3d", (4, 3, 2), f(2, 4, 4, 4, 4)),
    Case("ConvTranspose1d", (4, 3, 2), SEQUENCE),
    Case("ConvTranspose2d", (4, 3, 2), IMAGE),
    Case("Embedding", (5, 3), i(5, 4)),
    Case("EmbeddingBag", (5, 3), i(5, 2, 4)),
    Case("MultiheadAttention", (4, 2), STEPS, attend),
    Case("TransformerEncoderLayer", (4, 2, 8), STEPS),
    Case("TransformerDecoderLayer", (4, 2, 8), STEPS, twice),
    Case("LSTM", (4, 3), STEPS),
    Case("GRU", (4, 3), STEPS),
    Case("RNN", (4, 3), STEPS),
    Case("LSTMCell", (4, 3), ROWS),
    Case("GRUCell", (4, 3), ROWS),
    Case("RNNCell", (4, 3), ROWS),
    Case("BatchNorm1d", (4,), ROWS),
    Case("BatchNorm2d", (4,), IMAGE),
    Case("LayerNorm", (4,), ROWS),
    Case("GroupNorm", (2, 4), IMAGE),
    Case("InstanceNorm2d", (4,), IMAGE),
    Case("RMSNorm", (4,), ROWS),
    Case("LocalResponseNorm", (2,), IMAGE),
    Case("CrossMapLRN2d", (2,), IMAGE),
    Case("Dropout", (), ROWS),
    Case("Dropout2d", (), IMAGE),
    Case("AlphaDropout", (), ROWS),
    Case("ReLU", (), ROWS),
    Case("LeakyReLU", (), ROWS),
    Case("GELU", (), ROWS),
    Case("SiLU", (), ROWS),
    Case("Tanh", (), ROWS),
    Case("Sigmoid", (), ROWS),
    Case("Softmax", (1,), ROWS),
    Case("LogSoftmax", (1,), ROWS),
    Case("Softplus", (), ROWS),
    Case("PReLU", (), ROWS),
    Case("MaxPool2d", (2,), IMAGE),
    Case("AvgPool2d", (2,), IMAGE),
    Case("AdaptiveAvgPool2d", (2,), IMAGE),
    Case("AdaptiveAvgPool2d", (1,), IMAGE, variant="one"),
    Case("AdaptiveMaxPool2d", (2,), IMAGE),
    Case("MaxUnpool2d", (2,), f(1, 1, 2, 2), unpool),
    Case("ReflectionPad2d", (1,), IMAGE),
    Case("ZeroPad2d", (1,), IMAGE),
    Case("CircularPad2d", (1,), IMAGE),
    Case("Flatten", (), IMAGE),
    Case("Unflatten", (1, (2, 2)), ROWS),
    Case("Upsample", (12,), IMAGE),
    Case("PixelShuffle", (2,), IMAGE),
    Case("Identity", (), ROWS),
    Case("CosineSimilarity", (), ROWS, twice),
    Case("CrossEntropyLoss", (), ROWS, against_classes),
    Case("LinearCrossEntropyLoss", (4, 3), ROWS, against_classes),
    Case("MSELoss", (), ROWS, lambda layer, x: layer(x, torch.zeros(2, 4))),
    Case("BCEWithLogitsLoss", (), ROWS, lambda layer, x: layer(x, torch.zeros(2, 4))),
]


@dataclass(frozen=True)
class Run:
    layer: nn.Module
    input: torch.Tensor
    results: list[torch.Tensor]
    roots: list[torch.Tensor]


def run(case: Case, *, data: bool, params: bool, training: bool) -> Run:
    torch.manual_seed(0)
    layer: nn.Module = getattr(nn, case.name)(*case.arguments)
    layer.train(training).requires_grad_(params)
    x = case.input()
    assert isinstance(x, torch.Tensor)
    if data:
        x = x.requires_grad_().clone()
    results = tensors(case.call(layer, x))
    return Run(layer, x, results, [t.sum() for t in results if t.requires_grad])


def tensors(value: object) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value for t in tensors(item)] if isinstance(value, tuple) else []


# The second is said of a view that one of several results of a split is.
CHANGED = ("modified by an inplace operation", "has been modified inplace")
FREED = ("a second time",)


def raises(roots: list[torch.Tensor], texts: tuple[str, ...]) -> bool:
    message = ""
    try:
        torch.autograd.backward(roots)
    except RuntimeError as error:
        message = str(error)
    assert not message or any(text in message for text in texts)
    return bool(message)


def raises_after_change(made: Run, target: torch.Tensor) -> bool:
    torch.autograd.graph.increment_version(target)
    return raises(made.roots, CHANGED)


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize(
    ("data", "params"), [(True, True), (True, False), (False, True)], ids=["both", "data", "params"]
)
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.name}{c.variant}")
def test_the_table_tells_what_a_layer_saves(case: Case, data: bool, params: bool, training: bool) -> None:
    def again() -> Run:
        return run(case, data=data, params=params, training=training)

    data = data and case.input().is_floating_point()  # type: ignore[attr-defined]
    made = again()
    if not made.roots:
        assert not data
        assert not params or not list(made.layer.parameters())
        return
    told = layer_saved(case.name, data, params, training, variant=case.variant)
    assert told.input == raises_after_change(made, made.input)
    other = again()
    assert told.result == raises_after_change(other, other.results[0])
    kept = {name for name, _ in made.layer.named_parameters() if changes(again(), name)}
    if EVERY in told.params:
        assert kept
    else:
        assert kept == set(told.params)
    made = again()
    torch.autograd.backward(made.roots)
    assert told.anything == raises(made.roots, FREED)


def changes(made: Run, name: str) -> bool:
    return raises_after_change(made, dict(made.layer.named_parameters())[name])


def test_a_carried_hidden_state_makes_a_cell_save_its_recurrent_weight() -> None:
    cell, x, hidden = nn.RNNCell(4, 3), torch.rand(2, 4), torch.rand(2, 3, requires_grad=True)
    result = cell(x, hidden)
    torch.autograd.graph.increment_version(cell.weight_hh)
    assert raises([result.sum()], CHANGED)
    assert layer_saved("RNNCell", False, True, hidden_needs_grad=True).params == ("weight_hh",)
    assert layer_saved("RNNCell", False, True).params == ()


def test_only_the_parameters_that_need_a_gradient_count() -> None:
    assert layer_saved("Linear", False, ["bias"]) == LayerSaved()
    assert layer_saved("Linear", False, ["weight"]) == LayerSaved(input=True)
    assert layer_saved("Linear", True, []) == LayerSaved(params=("weight",))


def test_an_in_place_activation_is_told_by_its_flag() -> None:
    assert layer_saved("SiLU", True, True) == LayerSaved(input=True)
    assert layer_saved("SiLU", True, True, inplace=True) == LayerSaved(other=True)


def test_unknown_layers_save_something_and_containers_nothing() -> None:
    assert layer_saved("Frobnicator", True, True) == LayerSaved(other=True)
    assert layer_saved("Sequential", True, True) == LayerSaved()


# --- the table's own facts ------------------------------------------------------------------------


def public_layers() -> set[str]:
    return {
        name
        for name, value in vars(nn).items()
        if inspect.isclass(value) and issubclass(value, nn.Module) and not name.startswith("_")
    }


def info_of(name: str) -> LayerInfo:
    info = layer_info(name)
    assert info is not None
    return info


def test_each_public_layer_of_torch_is_known() -> None:
    assert set(layer_names()) - {"NonDynamicallyQuantizableLinear"} == public_layers()


@pytest.mark.parametrize("name", sorted(layer_names()))
def test_each_op_is_in_the_op_table(name: str) -> None:
    info = info_of(name)
    assert (info.op in set(known_ops())) == bool(info.op)
    assert bool(info.op) == (info.kind not in ("container", "other"))


@pytest.mark.parametrize("name", [n for n in layer_names() if info_of(n).kind == "loss"])
def test_each_loss_gives_one_element_unless_told_otherwise(name: str) -> None:
    if name == "AdaptiveLogSoftmaxWithLoss":  # gives a pair
        assert info_of(name).returns == "tuple"
        return
    info = op_info(info_of(name).op)
    assert info is not None
    assert info.numel == "loss"
    assert info_of(name).position("reduction") is not None


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.name}{c.variant}")
def test_parameters_and_results_are_those_of_torch(case: Case) -> None:
    made = run(case, data=False, params=True, training=True)
    names = tuple(name for name, _ in made.layer.named_parameters())
    affine = {"affine": True} if case.name.startswith("Instance") else {}
    told = layer_params(case.name, affine)
    if case.name.startswith("Instance"):
        assert (told, layer_params(case.name, {}), names) == (("weight", "bias"), (), ())
    elif told == (EVERY,):
        assert len(names) > 4
    else:
        assert told == names
    result = case.call(made.layer, made.input)
    assert isinstance(result, tuple) == (info_of(case.name).returns == "tuple")


@pytest.mark.parametrize(
    ("name", "constants", "expected"),
    [
        ("Linear", {"bias": False}, ("weight",)),
        ("BatchNorm2d", {"affine": False}, ()),
        ("LayerNorm", {"elementwise_affine": False}, ()),
        ("LSTM", {"bias": False}, ("weight_ih_l0", "weight_hh_l0")),
        ("ReLU", {}, ()),
        ("Frobnicator", {}, ()),
    ],
)
def test_parameters_can_be_switched_off(
    name: str, constants: dict[str, object], expected: tuple[str, ...]
) -> None:
    assert layer_params(name, constants) == expected


def test_arguments_have_their_places() -> None:
    assert info_of("Linear").position("out_features") == 1
    assert info_of("nn.ReLU").position("inplace") == 0
    assert info_of("Dropout").position("inplace") == 1
    assert info_of("Tanh").position("inplace") is None
    assert info_of("LSTM").width == "hidden_size"
    assert info_of("Conv2d").width == "out_channels"
    assert info_of("Embedding").width == "embedding_dim"


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_mode_dependent_layers_compute_different_things(mode: Literal["train", "eval"]) -> None:
    told = {name for name in layer_names() if info_of(name).mode_dependent}
    assert {"Dropout", "BatchNorm1d", "TransformerEncoderLayer", "RReLU"} <= told
    assert not {"Linear", "LayerNorm", "InstanceNorm1d", "ReLU", "LSTM"} & told
    layer = nn.Dropout(0.999).train(mode == "train")
    assert bool((layer(torch.ones(64)) == 1).all()) == (mode == "eval")
