"""The op table against real torch, call by call, for every set of operands that need a gradient."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import chain, combinations

import pytest
import torch

from lintgrad.models import composites
from lintgrad.models.optable import NOTHING, UNKNOWN, Operand, Saved, known_ops, saved
from tests.models import cases_inplace, cases_loss, cases_math, cases_more, cases_nn, cases_shape
from tests.models.op_cases import Case
from tests.models.torch_truth import observe

pytestmark = pytest.mark.filterwarnings("ignore")  # what torch says about deprecations is not the matter

CASES: list[Case] = [
    *cases_math.ARITHMETIC,
    *cases_math.UNARY,
    *cases_math.LINALG,
    *cases_shape.SHAPES,
    *cases_shape.INDEXING,
    *cases_nn.ACTIVATIONS,
    *cases_nn.LAYERS,
    *cases_loss.LOSSES,
    *cases_inplace.IN_PLACE,
    *cases_more.FOURIER,
    *cases_more.MORE,
]

GRADIENT = Operand(tensor=True, needs_grad=True)
DATA = Operand(tensor=True, needs_grad=False)
NUMBER = Operand(tensor=False, needs_grad=False)


# Of these no call can be compared here: devices that are not there, names of dimensions, what works on
# leaves or on sparse tensors alone, what has no derivative, another name of a function that is tried.
UNTRIED = {
    *("cuda", "xpu", "npu", "ipu", "hpu", "pin_memory"),
    *("align_to", "refine_names", "rename"),
    *(
        "requires_grad_",
        "retain_grad",
        "share_memory_",
        "set_",
        "resize",
        "resize_",
        "resize_as_",
        "lift_fresh",
    ),
    *("coalesce", "floor_divide", "floordiv", "native_channel_shuffle", "multi_head_attention_forward"),
}


def patterns(case: Case, values: list[object]) -> Iterator[list[bool]]:
    """Each way in which at least one of the operands needs a gradient."""
    free = [
        k
        for k, value in enumerate(values)
        if isinstance(value, torch.Tensor) and value.is_floating_point() and k not in case.fixed
    ]
    for chosen in chain.from_iterable(combinations(free, size) for size in range(1, len(free) + 1)):
        yield [k in chosen for k in range(len(values))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_table_tells_what_torch_saves(case: Case) -> None:
    values = [make() for make in case.operands]
    overwrites = case.op.endswith("_") or case.flags.get("inplace", False)
    compared = 0
    for needs in patterns(case, values):
        truth = observe(case.call, case.operands, needs)
        if not truth.graph:  # as the pattern of `view_as`, whose second operand gives its shape alone
            continue
        compared += 1
        operands = [
            Operand(isinstance(value, torch.Tensor), need) for value, need in zip(values, needs, strict=True)
        ]
        # An in-place op's operand and result are one tensor; the table calls it the result.
        inputs = tuple(k for k in truth.inputs if not (overwrites and k == 0))
        told = saved(case.op, operands, variant=case.variant, **case.flags)
        if case.partial:
            assert set(told.inputs) <= set(inputs), needs
        else:
            assert told == Saved(inputs, truth.result, truth.other), needs
        assert told.anything == truth.second_raises, needs
    assert compared


def test_each_curated_composite_is_compared_with_torch() -> None:
    """Those without a case are named here, so that none is forgotten."""
    tried = {"/".join(filter(None, [case.op.rstrip("_"), case.variant])) for case in CASES}
    tried |= {f"{case.op}/eval" for case in CASES if case.flags.get("training") is False}
    untried = {name for name in composites.SPECS if name.rstrip("_") not in tried}
    assert untried == UNTRIED | set(composites.LAYERS)


def test_an_unknown_op_saves_something_and_says_so() -> None:
    assert saved("frobnicate", [GRADIENT]) == UNKNOWN
    assert UNKNOWN.anything
    assert not UNKNOWN.known


def test_nothing_is_saved_where_nothing_needs_a_gradient() -> None:
    assert saved("mul", [DATA, DATA]) == NOTHING
    assert saved("conv2d", [DATA, DATA, DATA]) == NOTHING


def test_a_linear_layer_on_data_saves_the_data_alone() -> None:
    assert saved("linear", [DATA, GRADIENT, GRADIENT]) == Saved(inputs=(0,))
    assert saved("linear", [GRADIENT, GRADIENT, GRADIENT]) == Saved(inputs=(0, 1))


def test_a_factor_is_wrapped_and_saved_where_a_summand_is_not() -> None:
    assert saved("mul", [GRADIENT, NUMBER]) == Saved(other=True)
    assert saved("add", [GRADIENT, NUMBER]) == NOTHING


def test_a_dim_is_told_by_flag_or_by_operand() -> None:
    assert saved("max", [GRADIENT]) == Saved(inputs=(0,), result=True)
    assert saved("max", [GRADIENT], dim=True) == saved("max", [GRADIENT, NUMBER]) == Saved(other=True)
    assert saved("max", [GRADIENT, GRADIENT]) == Saved(inputs=(0, 1))


def test_a_dotted_prefix_is_dropped() -> None:
    assert saved("torch.nn.functional.relu", [GRADIENT]) == saved("relu", [GRADIENT])


def test_an_argument_that_is_none_is_not_saved() -> None:
    given = saved("cross_entropy", [GRADIENT, DATA, NUMBER])
    assert given == Saved(inputs=(1,), other=True)


def test_the_table_is_wide() -> None:
    assert len(set(known_ops())) > 500
    assert len(CASES) > 300


def test_the_table_is_read_without_torch() -> None:
    program = (
        "import sys\n"
        "from lintgrad.models.optable import Operand, saved\n"
        "assert saved('mul', [Operand(True, True)] * 2).inputs == (0, 1)\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
