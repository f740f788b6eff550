"""The names of tensor functions by what they return; read by `lintgrad.models.tensor_ops`.

Names are those of methods, of `torch`, `torch.nn.functional`, `torch.linalg`, `torch.fft` and
`torch.special`; the in-place form of a name here, with its underscore, need not be listed. The tests
hold the groups against what torch returns.
"""

from __future__ import annotations

from typing import Literal

Result = Literal["graph", "cut", "python", "factory", "none"]
Numel = Literal["one", "reduce", "loss", "same", "unknown"]
Sharing = Literal["", "view", "maybe"]

# By result, number of elements, and whether the result shares its argument's memory.
GROUPS: dict[tuple[Result, Numel, Sharing], str] = {
    # One element in, one element out, or inputs broadcast together.
    ("graph", "same", ""): """
        rot90 pixel_shuffle pixel_unshuffle abs absolute acos acosh add addcdiv addcmul angle arccos arccosh
        arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh bernoulli cdouble ceil celu cfloat
        chalf clamp clamp_max clamp_min clip clone copysign cos cosh cummax cummin cumprod cumsum deg2rad
        digamma div divide elu erf erfc erfinv erfcx exp exp2 expit expm1 fill fix flip fliplr flipud
        float_power floor floor_divide fmax fmin fmod frac gelu gumbel_softmax hardshrink hardsigmoid
        hardswish hardtanh hypot i0 i0e i1 i1e igamma igammac ldexp leaky_relu lerp lgamma log log10 log1p
        log2 log_ndtr log_softmax logaddexp logaddexp2 logcumsumexp logit logsigmoid masked_fill maximum
        minimum mish mul multiply mvlgamma nan_to_num ndtr ndtri neg negative nextafter normalize batch_norm
        layer_norm group_norm instance_norm rms_norm local_response_norm polygamma pow prelu psi gammaln
        rad2deg reciprocal relu relu6 remainder renorm roll round rrelu rsqrt rsub selu sgn sigmoid sign
        silu sin sinc sinh softmax softmin softplus softshrink softsign sort msort sqrt square sub subtract
        tan tanh tanhshrink threshold tril triu true_divide trunc where xlogy xlog1py entr zeta index_add
        index_copy index_fill index_put index_reduce masked_scatter scatter scatter_add scatter_reduce
        select_scatter slice_scatter diagonal_scatter put frexp channel_shuffle native_channel_shuffle
        heaviside gradient fftshift ifftshift fft ifft fft2 ifft2 fftn ifftn
    """,
    # The same elements in another shape.
    ("graph", "same", "view"): """
        imag alias T H mT mH t adjoint transpose swapaxes swapdims permute movedim moveaxis view view_as
        unflatten squeeze unsqueeze view_as_real
    """,
    ("graph", "unknown", "maybe"): """
        unsafe_chunk unsafe_split unsafe_split_with_sizes to_dense
    """,
    # The argument itself, or a view of it, when nothing is to be changed; else a copy.
    ("graph", "same", "maybe"): """
        conj conj_physical dequantize dropout dropout1d dropout2d dropout3d alpha_dropout
        feature_alpha_dropout feature_dropout reshape reshape_as flatten ravel contiguous to cpu cuda xpu
        ipu mtia float double half bfloat16 type type_as as_tensor asarray pin_memory positive resolve_conj
        resolve_neg real atleast_1d atleast_2d atleast_3d as_subclass
    """,
    # Some of the elements, or each several times, sharing their memory.
    ("graph", "unknown", "view"): """
        unbind chunk split split_with_sizes tensor_split hsplit vsplit dsplit as_strided broadcast_tensors
        broadcast_to diagonal expand expand_as narrow select unfold getitem view_as_complex meshgrid values
    """,
    ("graph", "unknown", ""): """
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
        adaptive_max_pool3d adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices
        adaptive_max_pool3d_with_indices addbmm addmm addmv addr affine_grid avg_pool1d avg_pool2d
        avg_pool3d baddbmm bilinear block_diag bmm cartesian_prod cat cdist chain_matmul cholesky
        cholesky_inverse cholesky_solve column_stack combinations complex polar concat concatenate
        constant_pad_nd conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
        convolution corrcoef cosine_similarity cov cross cumulative_trapezoid det diag diag_embed diagflat
        diff dstack eig eigh eigvals eigvalsh einsum embedding embedding_bag fold fractional_max_pool2d
        fractional_max_pool3d gather geqrf ger glu fractional_max_pool2d_with_indices
        fractional_max_pool3d_with_indices grid_sample grid_sampler gru gru_cell hfft hstack
        householder_product ihfft index index_select inner interpolate inv inverse irfft irfft2 irfftn istft
        kron kthvalue linear logdet logsumexp lp_pool1d lp_pool2d lp_pool3d lstm lstm_cell lstsq lu
        lu_factor lu_solve lu_unpack masked_select matmul matrix_exp matrix_norm matrix_power max_pool1d
        max_pool2d max_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices
        max_unpool1d max_unpool2d max_unpool3d mm mode mv multi_dot multi_head_attention_forward narrow_copy
        native_batch_norm native_dropout native_group_norm native_layer_norm orgqr ormqr outer pad
        pad_sequence pairwise_distance pca_lowrank pdist pinv pinverse qr quantile nanquantile repeat
        repeat_interleave rfft rfft2 rfftn rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell row_stack
        scaled_dot_product_attention slogdet smm solve solve_triangular sparse_mask stack stft sum_to_size
        svd svd_lowrank svdvals take take_along_dim tensordot tensorinv tensorsolve tile to_padded_tensor
        to_sparse to_sparse_coo to_sparse_csr topk trapezoid trapz triangular_solve unique
        unique_consecutive upsample upsample_bilinear upsample_nearest vander vstack vecdot norm_except_dim
        pack_padded_sequence pad_packed_sequence cond coalesce segment_reduce setitem normal binomial
        poisson sparse_coo_tensor histogram
    """,
    # One element unless a dim is given.
    ("graph", "reduce", ""): """
        sum mean max min amax amin prod norm vector_norm std var std_mean var_mean median nanmedian nansum
        nanmean aminmax frobenius_norm nuclear_norm
    """,
    ("graph", "one", ""): "trace dot vdot dist",
    # One element unless reduction="none".
    ("graph", "loss", ""): """
        binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy ctc_loss
        gaussian_nll_loss hinge_embedding_loss huber_loss kl_div l1_loss margin_ranking_loss mse_loss
        multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss poisson_nll_loss
        smooth_l1_loss soft_margin_loss triplet_margin_loss triplet_margin_with_distance_loss
        linear_cross_entropy
    """,
    ("cut", "same", "view"): "detach data",
    ("cut", "same", ""): """
        bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bool byte char
        short int long eq ne lt le gt ge greater greater_equal less less_equal not_equal isclose isfinite
        isinf isnan isneginf isposinf isreal signbit logical_and logical_not logical_or logical_xor argsort
        isin searchsorted bucketize gcd lcm
    """,
    ("cut", "reduce", ""): "argmax argmin any all count_nonzero matrix_rank",
    ("cut", "unknown", ""): """
        one_hot nonzero argwhere bincount histc multinomial nonzero_static unravel_index tril_indices
        triu_indices crow_indices col_indices indices
    """,
    ("python", "one", ""): """
        item tolist numpy size dim shape ndim dtype device layout is_leaf requires_grad is_cuda is_sparse
        is_quantized is_meta itemsize nbytes retains_grad output_nr storage_offset storage untyped_storage
        data_ptr element_size get_device is_complex is_contiguous is_floating_point is_inference is_nonzero
        is_pinned is_shared is_signed is_tensor is_same_size is_coalesced is_conj is_neg is_set_to
        is_storage ndimension nelement numel stride allclose equal storage_type dense_dim sparse_dim
        dim_order result_type can_cast promote_types broadcast_shapes is_cpu is_grad_enabled
        get_default_dtype is_distributed const_data_ptr typename is_inference_mode_enabled
    """,
    ("factory", "unknown", ""): """
        arange bartlett_window blackman_window empty empty_like empty_permuted empty_strided eye from_dlpack
        from_file from_numpy frombuffer full full_like hamming_window hann_window kaiser_window linspace
        logspace new new_empty new_empty_strided new_full new_ones new_tensor new_zeros ones ones_like rand
        rand_like randint randint_like randn randn_like randperm sparse_csr_tensor range tensor zeros
        zeros_like fftfreq rfftfreq
    """,
    ("factory", "one", ""): "scalar_tensor",
    ("none", "unknown", ""): """
        backward retain_grad register_hook register_post_accumulate_grad_hook record_stream manual_seed
        set_grad_enabled set_default_dtype set_default_device save seed set_printoptions
    """,
}

INTEGER = """
    argmax argmin argsort argwhere any all bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or
    bitwise_right_shift bitwise_xor bool byte char short int long eq ne lt le gt ge greater greater_equal
    less less_equal not_equal isclose isfinite isinf isnan isneginf isposinf isreal signbit logical_and
    logical_not logical_or logical_xor isin searchsorted bucketize gcd lcm count_nonzero one_hot nonzero
    nonzero_static multinomial tril_indices triu_indices randint randperm unravel_index matrix_rank indices
    crow_indices col_indices
"""

# Names whose result has several parts: `name:n`, `:*` when their number varies; `?` when only a dim
# makes it so; `i` when the parts after the first are indices or other tensors without a graph.
PARTS = """
    max:2?i min:2?i median:2?i nanmedian:2?i mode:2i kthvalue:2i sort:2i topk:2i cummax:2i cummin:2i
    aminmax:2 std_mean:2 var_mean:2 split:* split_with_sizes:* chunk:* unbind:* tensor_split:* hsplit:*
    vsplit:* dsplit:* unsafe_chunk:* unsafe_split:* unsafe_split_with_sizes:* meshgrid:* broadcast_tensors:*
    slogdet:2 eig:2 eigh:2 qr:2 svd:3 svd_lowrank:3 pca_lowrank:3 lu:2i lu_factor:2i lu_unpack:3 lstsq:4
    geqrf:2 triangular_solve:2 frexp:2i histogram:2 lstm:3 gru:2 rnn_tanh:2 rnn_relu:2 lstm_cell:2
    multi_head_attention_forward:2 max_pool1d_with_indices:2i max_pool2d_with_indices:2i
    max_pool3d_with_indices:2i adaptive_max_pool1d_with_indices:2i adaptive_max_pool2d_with_indices:2i
    adaptive_max_pool3d_with_indices:2i fractional_max_pool2d_with_indices:2i
    fractional_max_pool3d_with_indices:2i native_batch_norm:3 native_group_norm:3 native_layer_norm:3
    native_dropout:2i pad_packed_sequence:2i gradient:*
"""

# In-place names that have no form without the underscore, and write to their tensor.
IN_PLACE = """
    cauchy_ copy_ exponential_ fill_diagonal_ geometric_ log_normal_ normal_ random_ resize_as_ set_
    uniform_ zero_ resize_ apply_ map_ map2_ embedding_renorm_
"""

# In-place names that leave the elements, and so the tensor's version, alone.
META_IN_PLACE = "detach_ requires_grad_ share_memory_ rename_"
