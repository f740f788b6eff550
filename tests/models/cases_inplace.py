"""Operations that overwrite their first operand."""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F  # noqa: N812  torch's own name for it

from tests.models.op_cases import INPLACE, Case, X, b, f, i, method, n

_INPLACE_ONE = """
    relu sigmoid tanh exp log sqrt abs neg square sin cos round floor zero reciprocal silu hardtanh elu
    leaky_relu celu selu
"""

IN_PLACE = [
    Case(
        f"{name}_",
        method(f"{name}_") if hasattr(torch.Tensor, f"{name}_") else partial(getattr(F, name), inplace=True),
        [X],
    )
    for name in _INPLACE_ONE.split()
] + [
    Case("relu", partial(F.relu, inplace=True), [X], INPLACE),
    Case("leaky_relu", partial(F.leaky_relu, inplace=True), [X], INPLACE),
    Case("silu", partial(F.silu, inplace=True), [X], INPLACE),
    Case("hardswish", partial(F.hardswish, inplace=True), [X], INPLACE),
    Case("dropout", partial(F.dropout, inplace=True), [X], INPLACE),
    Case("dropout_", lambda x: torch.dropout_(x, 0.5, True), [X]),
    Case("add_", lambda a, b: a.add_(b), [X, X]),
    Case("add_", lambda a, b: a.add_(b), [X, n(2)], note="number"),
    Case("sub_", lambda a, b: a.sub_(b), [X, X]),
    Case("mul_", lambda a, b: a.mul_(b), [X, X]),
    Case("mul_", lambda a, b: a.mul_(b), [X, n(2)], note="number"),
    Case("div_", lambda a, b: a.div_(b), [X, X]),
    Case("div_", lambda a, b: a.div_(b), [X, n(2)], note="number"),
    Case("pow_", lambda a, b: a.pow_(b), [X, n(2)], note="number"),
    Case("copy_", lambda a, b: a.copy_(b), [X, X]),
    Case("fill_", lambda a, b: a.fill_(b), [X, n(2)]),
    Case("clamp_", lambda a: a.clamp_(0, 1), [X]),
    Case("masked_fill_", lambda a, m: a.masked_fill_(m, 0.0), [X, b(3, 4)]),
    Case("addcmul_", lambda a, b, c: a.addcmul_(b, c), [X, X, X]),
    Case("addmm_", lambda a, b, c: a.addmm_(b, c), [f(3, 2), X, f(4, 2)]),
    Case("lerp_", lambda a, b: a.lerp_(b, 0.5), [X, X]),
    Case("normal_", method("normal_"), [X]),
    Case("uniform_", method("uniform_"), [X]),
    Case("squeeze_", method("squeeze_"), [X]),
    Case("unsqueeze_", method("unsqueeze_", 0), [X]),
    Case("index_add_", lambda x, k, s: x.index_add_(0, k, s), [X, i(3, 2), f(2, 4)]),
    Case("scatter_add_", lambda x, k, s: x.scatter_add_(1, k, s), [X, i(4, 3, 4), X]),
    Case("scatter_", lambda x, k, s: x.scatter_(1, k, s), [X, i(4, 3, 4), X]),
]
