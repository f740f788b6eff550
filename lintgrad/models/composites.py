"""Specs of the functions that PyTorch composes of several ops, and Python's other names for ops.

A spec's form is told in `lintgrad.models.optable`. What a composite keeps was read from real torch;
the tests compare each again. A key may have a mode behind a slash: `dropout/eval`.

Where what is kept hangs on shapes or values, the spec tells the common case: a tensor that is kept in
some cases only is left out, so that no in-place fault is claimed which is none.
"""

from __future__ import annotations

_BY_SPEC = {
    "self ->": """
        reshape flatten ravel unflatten swapaxes swapdims movedim moveaxis T mT H mH adjoint expand_as
        view_as reshape_as broadcast_to broadcast_tensors tile repeat_interleave narrow tensor_split
        hsplit vsplit dsplit chunk diag diagflat fliplr flipud atleast_1d atleast_2d atleast_3d
        contiguous to type type_as float double half bfloat16 cfloat cpu cuda xpu npu ipu hpu
        requires_grad_ resize real imag diff rot90 pin_memory upsample interpolate upsample_nearest
        upsample_bilinear unfold fold positive lift_fresh irfft hfft fft2 ifft2 irfft2 fftn ifftn irfftn
        fftshift ifftshift affine_grid native_channel_shuffle zero_ resize_ resize_as_ set_ dropout/eval
        dropout1d/eval dropout2d/eval dropout3d/eval alpha_dropout/eval feature_alpha_dropout/eval
        feature_dropout/eval adaptive_avg_pool1d/one adaptive_avg_pool2d/one adaptive_avg_pool3d/one pad
        random_ bernoulli_ retain_grad share_memory_ coalesce unsafe_chunk rename refine_names align_to
    """,
    "tensors* ->": """
        concat concatenate hstack vstack dstack column_stack row_stack cartesian_prod meshgrid
        block_diag
    """,
    "self other ->": "copy_ floor_divide floordiv",
    "self -> self": """
        fft ifft rfft ihfft rfft2 rfftn square matrix_power adaptive_avg_pool1d adaptive_avg_pool2d
        adaptive_avg_pool3d avg_pool1d pad/reflect pad/replicate
    """,
    "self -> +result": "softmin gumbel_softmax inverse inv cholesky",
    "self -> self +result": "norm pinverse pinv matrix_norm",
    "self -> self +other": """
        combinations vander max_pool1d max_pool1d_with_indices adaptive_max_pool1d
        adaptive_max_pool1d_with_indices lp_pool1d lp_pool2d lp_pool3d local_response_norm softsign
        normalize rrelu nanmean logdet
    """,
    "self -> self +result +other": "det slogdet",
    "self -> +result +other": "qr svd svdvals eigh eigvalsh eig eigvals",
    "self -> +other": """
        tanhshrink dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout
        feature_dropout float_power quantile nanquantile pad/circular gumbel_softmax/hard kron cov
        corrcoef multi_head_attention_forward cond
    """,
    "first second -> first@second second@first": "matmul outer ger inner tensordot",
    "first second -> first second +result": "cdist",
    "first second -> +result +other": "pairwise_distance",
    "first second -> first@first second@second +other": "cosine_similarity",
    "input target weight? -> +other": "l1_loss hinge_embedding_loss",
    "first second third? -> +other": """
        margin_ranking_loss triplet_margin_loss triplet_margin_with_distance_loss gaussian_nll_loss
    """,
    "input weight bias? -> input weight": """
        conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
    """,
}

_ONE_BY_ONE = {
    "linear": ["input weight bias? -> input@weight weight@input"],
    "einsum": ["one ->", "first second -> first@second second@first", "many* -> +other"],
    "multi_dot": ["first second -> first@second second@first", "many* -> +other"],
    "chain_matmul": ["first second -> first@second second@first", "many* -> +other"],
    "bilinear": [
        "input1 input2 weight bias? -> input1@input2,weight input2@input1,weight weight@input1,input2"
    ],
    "div": ["number# other -> +other"],  # the reciprocal is taken first, then multiplied
    "max": ["self other -> self other"],
    "min": ["self other -> self other"],
    "getitem": ["self indices* -> indices"],
    "setitem": ["self value -> +other", "self value indices* -> indices"],
    "index_put": ["self indices values -> indices"],
    "take_along_dim": ["self indices dim! -> self +other"],
    "repeat_interleave": ["self ->", "self repeats -> +other"],
    "embedding": ["indices weight -> indices"],
    "embedding_bag": ["indices weight offsets? -> indices +other"],
    "batch_norm": [
        "input running_mean? running_var? weight? bias? -> input running_mean running_var weight +other"
    ],
    "instance_norm": ["input running_mean? running_var? weight? bias? -> input +other"],
    "stft": ["self window? -> self window +other"],
    "istft": ["self window? -> window +other"],
    "pad_sequence": ["tensors* -> +other"],
    "trapezoid": ["y ->", "y x -> +other"],
    "trapz": ["y ->", "y x -> +other"],
    "cumulative_trapezoid": ["y ->", "y x -> +other"],
    "weight_norm": ["v g -> v g +other"],
    "rms_norm": ["input weight? -> input@input weight@input +other"],
    "scaled_dot_product_attention": ["query key value attn_mask? -> query key value +result +other"],
    "grid_sample": ["input grid -> input grid"],
    "prelu": ["input weight -> input weight"],
    "solve": ["self other -> self +result +other"],
    "cross_entropy": ["input target weight? -> target weight +other"],
    "kl_div": ["input target -> input@target target"],
    "poisson_nll_loss": ["input target -> input@target target@input +other"],
    "multilabel_soft_margin_loss": ["input target weight? -> input target +other"],
    "cosine_embedding_loss": ["input1 input2 target -> input1 input2 +other"],
    "ctc_loss": ["log_probs targets input_lengths? target_lengths? -> log_probs targets +other"],
}

# Layers that no function of `torch.nn.functional` stands for, on their own parameters (`*`: all of them).
LAYERS = {
    "identity": ["input ->"],
    "lstm": [
        "input w_ih w_hh b_ih b_hh hidden? -> input w_ih w_hh b_ih b_hh hidden +result +other",
        "input w_ih w_hh hidden? -> input w_ih w_hh hidden +result +other",
    ],
    "lstm_cell": [
        "input w_ih w_hh b_ih b_hh hidden? -> input@w_ih w_ih@input w_hh@hidden hidden@w_hh +other",
        "input w_ih w_hh hidden? -> input@w_ih w_ih@input w_hh@hidden hidden@w_hh +other",
    ],
    "gru": [
        "input w_ih w_hh b_ih b_hh hidden? -> input@w_ih w_ih@input w_hh hidden@w_hh +other",
        "input w_ih w_hh hidden? -> input@w_ih w_ih@input w_hh hidden@w_hh +other",
    ],
    "rnn_cell": [
        "input w_ih w_hh b_ih b_hh hidden? -> input@w_ih w_ih@input w_hh@hidden hidden@w_hh +result +other",
        "input w_ih w_hh hidden? -> input@w_ih w_ih@input w_hh@hidden hidden@w_hh +result +other",
    ],
    "attention": ["input w_in b_in w_out b_out -> input@w_in w_in@input w_out +other"],
    "transformer": ["input parameters -> input@parameters parameters +other"],
    "adaptive_log_softmax": ["input parameters -> input@parameters parameters@input +other"],
    "cross_map_lrn": ["input -> input +result +other"],
    "linear_cross_entropy": ["input weight target? -> input@weight weight@input target +other"],
}

_NAMES = """
    absolute=abs negative=neg multiply=mul divide=div true_divide=div truediv=div subtract=sub
    max_unpool1d=max_unpool2d relu6=hardtanh selu=elu rnn_tanh=gru rnn_relu=gru gru_cell=lstm_cell
    rnn_tanh_cell=rnn_cell rnn_relu_cell=rnn_cell
    rmul=mul radd=add arccos=acos arcsin=asin arctan=atan arccosh=acosh arcsinh=asinh arctanh=atanh
    arctan2=atan2 clip=clamp fix=trunc expit=sigmoid erfcx=special_erfcx log_ndtr=special_log_ndtr
    ndtri=special_ndtri xlog1py=special_xlog1py entr=special_entr i0e=special_i0e
    softmax=_softmax log_softmax=_log_softmax vector_norm=linalg_vector_norm
    cross=linalg_cross matrix_exp=linalg_matrix_exp expm=linalg_matrix_exp lu_factor=linalg_lu_factor_ex
    solve_triangular=linalg_solve_triangular lstsq=linalg_lstsq householder_product=linalg_householder_product
    layer_norm=native_layer_norm group_norm=native_group_norm logsigmoid=log_sigmoid_forward
    nll_loss=nll_loss_forward multilabel_margin_loss=multilabel_margin_loss_forward
    max_pool2d=max_pool2d_with_indices max_pool3d=max_pool3d_with_indices
    adaptive_max_pool2d_with_indices=adaptive_max_pool2d adaptive_max_pool3d_with_indices=adaptive_max_pool3d
    pdist=_pdist_forward msort=sort gammaln=lgamma psi=digamma
"""


def _specs() -> dict[str, list[str]]:
    by_name = {name: [spec] for spec, names in _BY_SPEC.items() for name in names.split()}
    return by_name | _ONE_BY_ONE | LAYERS


SPECS: dict[str, list[str]] = _specs()
"""Specs by name, the overload that fits best being meant."""

ALIASES: dict[str, str] = dict(pair.split("=") for pair in _NAMES.split())
"""The table's name, without overload, for a Python-level name."""
