"""Names that training code uses seldom."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812  torch's own name for it

from tests.models.op_cases import EVAL, Case, X, f, method, spd

_SPECTRUM = f(4, 4)

FOURIER_NAMES = (
    *("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2"),
    *("fftn", "ifftn", "rfftn", "irfftn"),
)

FOURIER = [
    *(
        Case(name, getattr(torch.fft, name), [_SPECTRUM])
        for name in [
            "fft",
            "ifft",
            "rfft",
            "irfft",
            "hfft",
            "ihfft",
            "fft2",
            "ifft2",
            "rfft2",
            "irfft2",
            "fftn",
            "ifftn",
            "rfftn",
            "irfftn",
        ]
    ),
    Case("fftshift", torch.fft.fftshift, [_SPECTRUM]),
    Case("ifftshift", torch.fft.ifftshift, [_SPECTRUM]),
    Case("stft", lambda x, w: torch.stft(x, 4, window=w, return_complex=True), [f(16), f(4)], fixed=(1,)),
    Case(
        "istft",
        lambda x, w: torch.istft(torch.view_as_complex(x), 4, window=w),
        [f(3, 8, 2), lambda: torch.hann_window(4)],
        fixed=(1,),
    ),
]

MORE = [
    Case("H", lambda x: x.H, [X]),
    Case("mH", lambda x: x.mH, [X]),
    Case("adjoint", torch.adjoint, [X]),
    Case("real", torch.real, [X]),
    Case("imag", lambda x: torch.view_as_complex(x).imag, [f(3, 2)]),
    Case("swapdims", method("swapdims", 0, 1), [X]),
    Case("moveaxis", method("moveaxis", 0, 1), [X]),
    Case("hsplit", method("hsplit", 2), [X]),
    Case("vsplit", method("vsplit", 3), [X]),
    Case("dsplit", method("dsplit", 2), [f(2, 3, 4)]),
    Case("unsafe_chunk", method("unsafe_chunk", 2), [X]),
    Case("atleast_1d", torch.atleast_1d, [X]),
    Case("atleast_3d", torch.atleast_3d, [X]),
    Case("diagflat", method("diagflat"), [X]),
    Case("combinations", torch.combinations, [f(4)]),
    Case("row_stack", lambda a, b: torch.row_stack([a, b]), [X, X]),
    Case("pad_sequence", lambda a, b: torch.nn.utils.rnn.pad_sequence([a, b]), [f(2), f(3)]),
    Case("cfloat", method("cfloat"), [X]),
    Case("random_", method("random_"), [X]),
    Case("bernoulli_", method("bernoulli_"), [X]),
    Case("lp_pool3d", lambda x: F.lp_pool3d(x, 2, 2), [f(1, 2, 4, 4, 4)]),
    Case("max_pool1d_with_indices", lambda x: F.max_pool1d(x, 2, return_indices=True), [f(2, 3, 8)]),
    Case(
        "adaptive_max_pool1d_with_indices",
        lambda x: F.adaptive_max_pool1d(x, 2, return_indices=True),
        [f(2, 3, 8)],
    ),
    Case("adaptive_avg_pool1d", lambda x: F.adaptive_avg_pool1d(x, 1), [f(2, 3, 8)], variant="one"),
    Case("adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, 1), [f(2, 3, 4, 4, 4)], variant="one"),
    Case("pad", lambda x: F.pad(x, (1, 1), mode="replicate"), [f(2, 3, 8)], variant="replicate"),
    Case("gumbel_softmax", lambda x: F.gumbel_softmax(x, hard=True), [X], variant="hard"),
    Case("upsample_bilinear", lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), [f(1, 2, 4, 4)]),
    Case("upsample_nearest", lambda x: F.interpolate(x, scale_factor=2), [f(1, 2, 4, 4)]),
    Case("nanquantile", method("nanquantile", 0.5), [X]),
    Case("cov", torch.cov, [X]),
    Case("corrcoef", torch.corrcoef, [X]),
    Case("trapezoid", torch.trapezoid, [X]),
    Case("trapz", torch.trapz, [X]),
    Case("cumulative_trapezoid", torch.cumulative_trapezoid, [X]),
    Case("vander", torch.linalg.vander, [f(4)]),
    Case("multi_dot", lambda a, b, c: torch.linalg.multi_dot([a, b, c]), [X, f(4, 3), X], partial=True),
    Case(
        "einsum",
        lambda a, b, c: torch.einsum("ij,jk,kl->il", a, b, c),
        [X, f(4, 3), X],
        note="three",
        partial=True,
    ),
    Case("einsum", lambda a: torch.einsum("ij->ji", a), [X], note="one"),
    Case("inv", torch.linalg.inv, [spd(3)]),
    Case("pinv", torch.linalg.pinv, [spd(3)]),
    Case("expm", torch.matrix_exp, [spd(3)]),
    Case("eig", torch.linalg.eig, [spd(3)]),
    Case("eigvals", torch.linalg.eigvals, [lambda: torch.diag(torch.tensor([1.0, 2.0, 3.0]))]),
    Case("eigvalsh", torch.linalg.eigvalsh, [lambda: torch.diag(torch.tensor([1.0, 2.0, 3.0]))]),
    Case("svdvals", torch.linalg.svdvals, [spd(3)]),
    Case("cond", torch.linalg.cond, [spd(3)]),
    *(
        Case(name, lambda x, d=drop, t=on: d(x, 0.5, training=t), [shape], flags)
        for name, drop, shape in (
            ("dropout1d", F.dropout1d, f(2, 3, 4)),
            ("dropout3d", F.dropout3d, f(1, 2, 3, 3, 3)),
            ("feature_alpha_dropout", F.feature_alpha_dropout, f(2, 3, 4)),
        )
        for on, flags in ((True, {}), (False, EVAL))
    ),
    Case("feature_dropout", lambda x: torch.feature_dropout(x, 0.5, True), [f(2, 3, 4)]),
    Case("feature_dropout", lambda x: torch.feature_dropout(x, 0.5, False), [f(2, 3, 4)], EVAL),
    Case("weight_norm", torch._weight_norm, [X, f(3, 1)]),
]
