"""Arithmetic, functions of one tensor, reductions and linear algebra."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812  torch's own name for it

from tests.models.op_cases import DIM, Case, X, f, method, n, spd

ARITHMETIC = [
    Case("add", lambda a, b: a + b, [X, X]),
    Case("add", lambda a, b: a + b, [X, n(2)], note="number"),
    Case("radd", lambda a, b: b + a, [X, n(2)], note="number"),
    Case("sub", lambda a, b: a - b, [X, X]),
    Case("sub", lambda a, b: a - b, [X, n(2)], note="number"),
    Case("sub", lambda a, b: a - b, [n(2), X], note="number-first"),
    Case("rsub", torch.rsub, [X, X]),
    Case("mul", lambda a, b: a * b, [X, X]),
    Case("mul", lambda a, b: a * b, [X, n(2)], note="number"),
    Case("mul", lambda a, b: a * b, [n(2), X], note="number-first"),
    Case("div", lambda a, b: a / b, [X, X]),
    Case("div", lambda a, b: a / b, [X, n(2)], note="number"),
    Case("div", lambda a, b: a / b, [n(2), X], note="number-first"),
    Case("true_divide", torch.true_divide, [X, X]),
    Case("divide", torch.divide, [X, X]),
    Case("multiply", torch.multiply, [X, X]),
    Case("subtract", torch.subtract, [X, X]),
    Case("remainder", lambda a, b: a % b, [X, X]),
    Case("remainder", lambda a, b: a % b, [X, n(2)], note="number"),
    Case("fmod", torch.fmod, [X, X]),
    Case("pow", lambda a, b: a**b, [X, X]),
    Case("pow", lambda a, b: a**b, [X, n(2)], note="number"),
    Case("pow", lambda a, b: a**b, [n(2), X], note="number-first"),
    Case("float_power", torch.float_power, [X, n(2)]),
    Case("neg", lambda a: -a, [X]),
    Case("negative", torch.negative, [X]),
    Case("positive", torch.positive, [X]),
    Case("matmul", lambda a, b: a @ b, [X, f(4, 2)]),
    Case("matmul", lambda a, b: a @ b, [f(4), f(4)], note="vectors"),
    Case("matmul", lambda a, b: a @ b, [X, f(4)], note="vector"),
    Case("matmul", lambda a, b: a @ b, [f(2, 3, 4), f(2, 4, 5)], note="batched"),
    Case("matmul", lambda a, b: a @ b, [f(2, 3, 4), f(4, 5)], note="folded"),
    Case("mm", torch.mm, [X, f(4, 2)]),
    Case("bmm", torch.bmm, [f(2, 3, 4), f(2, 4, 5)]),
    Case("mv", torch.mv, [X, f(4)]),
    Case("dot", torch.dot, [f(4), f(4)]),
    Case("vdot", torch.vdot, [f(4), f(4)]),
    Case("inner", torch.inner, [X, f(2, 4)]),
    Case("outer", torch.outer, [f(3), f(4)]),
    Case("ger", torch.ger, [f(3), f(4)]),
    Case("kron", torch.kron, [X, X]),
    Case("addmm", torch.addmm, [f(3, 2), X, f(4, 2)]),
    Case("addmv", torch.addmv, [f(3), X, f(4)]),
    Case("addr", torch.addr, [X, f(3), f(4)]),
    Case("addbmm", torch.addbmm, [f(3, 5), f(2, 3, 4), f(2, 4, 5)]),
    Case("baddbmm", torch.baddbmm, [f(2, 3, 5), f(2, 3, 4), f(2, 4, 5)]),
    Case("addcmul", torch.addcmul, [X, X, X]),
    Case("addcdiv", torch.addcdiv, [X, X, X]),
    Case("lerp", torch.lerp, [X, X, X]),
    Case("lerp", torch.lerp, [X, X, n(0.3)], note="number"),
    Case("einsum", lambda a, b: torch.einsum("ij,jk->ik", a, b), [X, f(4, 2)]),
    Case("einsum", lambda a, b: torch.einsum("ij,ij->i", a, b), [X, X], note="rows"),
    Case("tensordot", lambda a, b: torch.tensordot(a, b, dims=1), [X, f(4, 2)]),
    Case("chain_matmul", lambda a, b: torch.linalg.multi_dot([a, b]), [X, f(4, 2)]),
    Case("cross", torch.linalg.cross, [f(2, 3), f(2, 3)]),
    Case("maximum", torch.maximum, [X, X]),
    Case("minimum", torch.minimum, [X, X]),
    Case("fmax", torch.fmax, [X, X]),
    Case("hypot", torch.hypot, [X, X]),
    Case("atan2", torch.atan2, [X, X]),
    Case("xlogy", torch.xlogy, [X, X]),
    Case("logaddexp", torch.logaddexp, [X, X]),
    Case("dist", torch.dist, [X, X]),
    Case("var_mean", torch.var_mean, [X]),
    Case("std_mean", torch.std_mean, [X]),
    Case("cdist", torch.cdist, [X, f(5, 4)]),
    Case("bilinear", F.bilinear, [f(2, 3), f(2, 4), f(5, 3, 4)]),
]

_ONE_ARGUMENT = """
    abs absolute exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square sin cos tan asin acos atan sinh
    cosh tanh asinh atanh sigmoid erf erfc erfinv lgamma digamma reciprocal sign sgn round floor ceil
    trunc frac relu logit deg2rad rad2deg sinc nan_to_num cumsum! cumprod! logcumsumexp! softmax!
    log_softmax! sum sum! mean mean! prod prod! nansum nanmean max max! min min! amax amax! amin amin!
    median median! mode! std std! var var! norm norm! logsumexp! aminmax t contiguous clone float double
    half bfloat16 flatten ravel squeeze squeeze! unsqueeze! fliplr flipud trace diag diagonal tril triu
    sort cummax! cummin! i0
"""

UNARY = [
    Case(
        name.rstrip("!"),
        method(name.rstrip("!"), *((0,) if name.endswith("!") else ())),
        [X],
        DIM if name.endswith("!") else {},
    )
    for name in _ONE_ARGUMENT.split()
]

LINALG = [
    Case("inverse", torch.inverse, [spd(3)]),
    Case("pinverse", torch.pinverse, [spd(3)]),
    Case("det", torch.det, [spd(3)]),
    Case("logdet", torch.logdet, [spd(3)]),
    Case("slogdet", torch.slogdet, [spd(3)]),
    Case("cholesky", torch.linalg.cholesky, [spd(3)]),
    Case("qr", torch.linalg.qr, [spd(3)]),
    Case("svd", torch.linalg.svdvals, [spd(3)]),
    Case("eigh", torch.linalg.eigh, [lambda: torch.diag(torch.tensor([1.0, 2.0, 3.0]))]),
    Case("solve", torch.linalg.solve, [spd(3), f(3, 2)]),
    Case("matrix_power", lambda x: torch.matrix_power(x, 2), [spd(3)]),
    Case("matrix_exp", torch.matrix_exp, [spd(3)]),
    Case("vector_norm", torch.linalg.vector_norm, [X]),
    Case("matrix_norm", torch.linalg.matrix_norm, [X]),
    Case("renorm", lambda x: x.renorm(2, 0, 1.0), [X]),
]
