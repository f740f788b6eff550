"""Losses."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812  torch's own name for it

from tests.models.op_cases import Case, X, f, i

LOSSES = [
    Case("mse_loss", F.mse_loss, [X, X]),
    Case("l1_loss", F.l1_loss, [X, X]),
    Case("smooth_l1_loss", F.smooth_l1_loss, [X, X]),
    Case("huber_loss", F.huber_loss, [X, X]),
    Case("cross_entropy", F.cross_entropy, [X, i(4, 3)]),
    Case(
        "cross_entropy",
        F.cross_entropy,
        [X, i(4, 3), f(4)],
        note="weight",
        fixed=(2,),
    ),
    Case("cross_entropy", F.cross_entropy, [X, X], note="probabilities", fixed=(1,)),
    Case(
        "cross_entropy", lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1), [X, i(4, 3)], note="smooth"
    ),
    Case("cross_entropy", F.cross_entropy, [f(2, 4, 3), i(4, 2, 3)], note="sequence"),
    Case("nll_loss", F.nll_loss, [X, i(4, 3)]),
    Case("nll_loss", F.nll_loss, [X, i(4, 3), f(4)], note="weight", fixed=(2,)),
    Case("nll_loss", F.nll_loss, [f(2, 4, 3, 3), i(4, 2, 3, 3)], note="2d"),
    Case("binary_cross_entropy", F.binary_cross_entropy, [X, X]),
    Case("binary_cross_entropy", F.binary_cross_entropy, [X, X, X], note="weight", fixed=(2,)),
    Case("binary_cross_entropy_with_logits", F.binary_cross_entropy_with_logits, [X, X]),
    Case(
        "binary_cross_entropy_with_logits",
        F.binary_cross_entropy_with_logits,
        [X, X, X],
        note="weight",
        fixed=(2,),
    ),
    Case("kl_div", lambda a, b: F.kl_div(a, b, reduction="batchmean"), [X, X]),
    Case("poisson_nll_loss", F.poisson_nll_loss, [X, X], fixed=(1,)),
    Case("gaussian_nll_loss", F.gaussian_nll_loss, [X, X, X]),
    Case("hinge_embedding_loss", F.hinge_embedding_loss, [X, lambda: torch.ones(3, 4)]),
    Case("margin_ranking_loss", F.margin_ranking_loss, [X, X, lambda: torch.ones(3, 4)]),
    Case("soft_margin_loss", F.soft_margin_loss, [X, lambda: torch.ones(3, 4)], fixed=(1,)),
    Case("multi_margin_loss", F.multi_margin_loss, [X, i(4, 3)]),
    Case("multilabel_margin_loss", F.multilabel_margin_loss, [X, i(4, 3, 4)]),
    Case("multilabel_soft_margin_loss", F.multilabel_soft_margin_loss, [X, X], fixed=(1,)),
    Case("cosine_embedding_loss", F.cosine_embedding_loss, [X, X, lambda: torch.ones(3)]),
    Case("triplet_margin_loss", F.triplet_margin_loss, [X, X, X]),
    Case("triplet_margin_with_distance_loss", F.triplet_margin_with_distance_loss, [X, X, X]),
    Case(
        "ctc_loss",
        lambda x, t: F.ctc_loss(x, t, (5, 5), (2, 2)),
        [f(5, 2, 4), lambda: torch.tensor([[1, 2], [2, 3]])],
    ),
]
