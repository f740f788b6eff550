"""Activations, layers and losses."""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F  # noqa: N812  torch's own name for it

from tests.models.op_cases import DIM, EVAL, Case, X, f

_ACTIVATIONS = """
    relu relu6 leaky_relu elu selu celu gelu silu mish softplus softsign tanh sigmoid hardtanh hardswish
    hardsigmoid logsigmoid tanhshrink softshrink hardshrink softmax! log_softmax! softmin! gumbel_softmax
    glu normalize rrelu
"""

ACTIVATIONS = [
    Case(
        name.rstrip("!"),
        partial(getattr(F, name.rstrip("!")), **({"dim": 1} if name.endswith("!") else {})),
        [X],
        DIM if name.endswith("!") else {},
        note="F",
    )
    for name in _ACTIVATIONS.split()
] + [
    Case("rrelu", lambda x: F.rrelu(x, training=True), [X], note="training"),
    Case("prelu", F.prelu, [X, f(1)]),
    Case("threshold", lambda x: F.threshold(x, 0.1, 20), [X]),
    Case("clamp", lambda x: x.clamp(0, 1), [X]),
    Case("clamp", lambda x: x.clamp(min=0), [X], note="min"),
    Case("clamp", torch.clamp, [X, X, X], note="tensors"),
    Case("clip", lambda x: x.clip(0, 1), [X]),
    Case("clamp_min", lambda x: x.clamp_min(0), [X]),
    Case("clamp_max", lambda x: x.clamp_max(0), [X]),
    Case("dropout", lambda x: F.dropout(x, 0.5, training=True), [X], {"training": True}),
    Case("dropout", lambda x: F.dropout(x, 0.5, training=False), [X], EVAL),
    Case("dropout2d", lambda x: F.dropout2d(x, 0.5, training=True), [f(2, 3, 4, 4)]),
    Case("alpha_dropout", lambda x: F.alpha_dropout(x, 0.5, training=True), [X]),
    Case("alpha_dropout", lambda x: F.alpha_dropout(x, 0.5, training=False), [X], EVAL),
    Case("dropout2d", lambda x: F.dropout2d(x, 0.5, training=False), [f(2, 3, 4, 4)], EVAL),
]

LAYERS = [
    Case("linear", F.linear, [X, f(5, 4), f(5)]),
    Case("linear", F.linear, [X, f(5, 4)], note="no-bias"),
    Case("linear", F.linear, [f(2, 3, 4), f(5, 4), f(5)], note="3d"),
    Case("conv1d", F.conv1d, [f(2, 3, 8), f(5, 3, 3), f(5)]),
    Case("conv2d", F.conv2d, [f(2, 3, 8, 8), f(5, 3, 3, 3), f(5)]),
    Case("conv2d", F.conv2d, [f(2, 3, 8, 8), f(5, 3, 3, 3)], note="no-bias"),
    Case("conv3d", F.conv3d, [f(1, 2, 4, 4, 4), f(3, 2, 2, 2, 2), f(3)]),
    Case("conv_transpose1d", F.conv_transpose1d, [f(2, 3, 8), f(3, 5, 3), f(5)]),
    Case("conv_transpose2d", F.conv_transpose2d, [f(2, 3, 4, 4), f(3, 5, 3, 3), f(5)]),
    Case("conv_transpose3d", F.conv_transpose3d, [f(1, 2, 4, 4, 4), f(2, 3, 2, 2, 2)]),
    Case("layer_norm", lambda x, w, c: F.layer_norm(x, (4,), w, c), [X, f(4), f(4)]),
    Case("layer_norm", lambda x: F.layer_norm(x, (4,)), [X], note="plain"),
    Case("rms_norm", lambda x, w: F.rms_norm(x, (4,), w), [X, f(4)]),
    Case("rms_norm", lambda x: F.rms_norm(x, (4,)), [X], note="plain"),
    Case("group_norm", lambda x, w, c: F.group_norm(x, 2, w, c), [f(2, 4, 3), f(4), f(4)]),
    Case("instance_norm", F.instance_norm, [f(2, 4, 3)]),
    Case(
        "batch_norm",
        lambda x, m, v, w, c: F.batch_norm(x, m, v, w, c, training=True),
        [X, f(4), f(4), f(4), f(4)],
        fixed=(1, 2),
    ),
    Case(
        "batch_norm",
        lambda x, m, v, w, c: F.batch_norm(x, m, v, w, c, training=False),
        [X, f(4), f(4), f(4), f(4)],
        EVAL,
        fixed=(1, 2),
    ),
    Case("local_response_norm", lambda x: F.local_response_norm(x, 2), [f(2, 4, 3)]),
    Case("max_pool1d", lambda x: F.max_pool1d(x, 2), [f(2, 3, 8)]),
    Case("max_pool2d", lambda x: F.max_pool2d(x, 2), [f(2, 3, 8, 8)]),
    Case("max_pool3d", lambda x: F.max_pool3d(x, 2), [f(2, 3, 4, 4, 4)]),
    Case("avg_pool1d", lambda x: F.avg_pool1d(x, 2), [f(2, 3, 8)]),
    Case("avg_pool2d", lambda x: F.avg_pool2d(x, 2), [f(2, 3, 8, 8)]),
    Case("avg_pool3d", lambda x: F.avg_pool3d(x, 2), [f(2, 3, 4, 4, 4)]),
    Case("adaptive_avg_pool1d", lambda x: F.adaptive_avg_pool1d(x, 2), [f(2, 3, 8)]),
    Case("adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, 1), [f(2, 3, 8, 8)], variant="one"),
    Case("adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, 2), [f(2, 3, 8, 8)]),
    Case("adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, 2), [f(2, 3, 4, 4, 4)]),
    Case("adaptive_max_pool1d", lambda x: F.adaptive_max_pool1d(x, 2), [f(2, 3, 8)]),
    Case("adaptive_max_pool2d", lambda x: F.adaptive_max_pool2d(x, 2), [f(2, 3, 8, 8)]),
    Case("adaptive_max_pool3d", lambda x: F.adaptive_max_pool3d(x, 2), [f(2, 3, 4, 4, 4)]),
    Case("lp_pool1d", lambda x: F.lp_pool1d(x, 2, 2), [f(2, 3, 8)]),
    Case("lp_pool2d", lambda x: F.lp_pool2d(x, 2, 2), [f(2, 3, 8, 8)]),
    Case("pad", lambda x: F.pad(x, (1, 1)), [X]),
    Case("pad", lambda x: F.pad(x, (1, 1), mode="reflect"), [f(2, 3, 8)], variant="reflect"),
    Case("pad", lambda x: F.pad(x, (1, 1), mode="circular"), [f(2, 3, 8)], variant="circular"),
    Case("interpolate", lambda x: F.interpolate(x, scale_factor=2), [f(2, 3, 4, 4)]),
    Case(
        "interpolate",
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        [f(2, 3, 4, 4)],
        note="bilinear",
    ),
    Case("upsample", lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"), [f(2, 3, 4, 4)]),
    Case("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), [f(2, 4, 3, 3)]),
    Case("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), [f(2, 4, 4, 4)]),
    Case("channel_shuffle", lambda x: F.channel_shuffle(x, 2), [f(2, 4, 4, 4)]),
    Case("fold", lambda x: F.fold(x, (4, 4), 2), [f(2, 8, 9)]),
    Case("unfold", lambda x: F.unfold(x, 2), [f(2, 3, 4, 4)], note="F"),
    Case(
        "grid_sample", lambda x, g: F.grid_sample(x, g, align_corners=False), [f(1, 3, 4, 4), f(1, 2, 2, 2)]
    ),
    Case("affine_grid", lambda t: F.affine_grid(t, [1, 3, 4, 4], align_corners=False), [f(1, 2, 3)]),
    Case(
        "scaled_dot_product_attention",
        F.scaled_dot_product_attention,
        [f(1, 2, 3, 4), f(1, 2, 3, 4), f(1, 2, 3, 4)],
    ),
    Case("cosine_similarity", F.cosine_similarity, [X, X]),
    Case("pairwise_distance", F.pairwise_distance, [X, X]),
    Case("pdist", F.pdist, [X]),
]
