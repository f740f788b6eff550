"""The layers of `torch.nn`: their parameters, what they compute, and what they keep for backward."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from lintgrad.models import optable
from lintgrad.models.optable import Operand
from lintgrad.models.signatures import constructor

Kind = Literal["layer", "activation", "norm", "dropout", "recurrent", "loss", "container", "other"]

EVERY = "*"
"""In `LayerInfo.params`: parameters that lie in submodules and are not named one by one."""


@dataclass(frozen=True, slots=True)
class LayerInfo:
    """A class of `torch.nn`.

    op               its name in the op table; empty for containers
    params           the names of its parameters when none is switched off (see `layer_params`)
    returns          `tuple`: (out, (h, c)) of an LSTM, (out, h) of a GRU, (out, weights) of attention,
                     (h, c) of an LSTMCell
    width            the constructor argument that is the result's last dimension (a convolution's second)
    mode_dependent   train and eval mode compute different things
    variant          the op's variant, as `optable.saved` takes it
    """

    name: str
    kind: Kind
    op: str
    params: tuple[str, ...] = ()
    returns: Literal["tensor", "tuple"] = "tensor"
    width: str = ""
    mode_dependent: bool = False
    variant: str = ""

    @property
    def constructor(self) -> tuple[str, ...]:
        """The names of the constructor's arguments, in order."""
        return constructor(self.name)

    def position(self, argument: str) -> int | None:
        """Where `argument` (`inplace`, `reduction`, the `width`) stands in the constructor, if it does."""
        names = self.constructor
        return names.index(argument) if argument in names else None


@dataclass(frozen=True, slots=True)
class LayerSaved:
    """What a layer's forward keeps: its input, some of its parameters, its result, anything else."""

    input: bool = False
    params: tuple[str, ...] = ()
    result: bool = False
    other: bool = False

    @property
    def anything(self) -> bool:
        """Whether a second backward through it raises."""
        return self.input or bool(self.params) or self.result or self.other


# One line: kind, op (with `/variant`), parameters or `-`, then the classes.
_ROWS = """
layer linear weight,bias Linear LazyLinear NonDynamicallyQuantizableLinear
layer bilinear weight,bias Bilinear
layer conv1d weight,bias Conv1d LazyConv1d
layer conv2d weight,bias Conv2d LazyConv2d
layer conv3d weight,bias Conv3d LazyConv3d
layer conv_transpose1d weight,bias ConvTranspose1d LazyConvTranspose1d
layer conv_transpose2d weight,bias ConvTranspose2d LazyConvTranspose2d
layer conv_transpose3d weight,bias ConvTranspose3d LazyConvTranspose3d
layer embedding weight Embedding
layer embedding_bag weight EmbeddingBag
layer attention in_proj_weight,in_proj_bias,out_proj.weight,out_proj.bias MultiheadAttention
layer transformer * Transformer TransformerEncoder TransformerDecoder
layer transformer * TransformerEncoderLayer TransformerDecoderLayer
layer max_pool1d - MaxPool1d
layer max_pool2d - MaxPool2d
layer max_pool3d - MaxPool3d
layer fractional_max_pool2d - FractionalMaxPool2d
layer fractional_max_pool3d - FractionalMaxPool3d
layer max_unpool1d - MaxUnpool1d
layer max_unpool2d - MaxUnpool2d
layer max_unpool3d - MaxUnpool3d
layer avg_pool1d - AvgPool1d
layer avg_pool2d - AvgPool2d
layer avg_pool3d - AvgPool3d
layer lp_pool1d - LPPool1d
layer lp_pool2d - LPPool2d
layer lp_pool3d - LPPool3d
layer adaptive_avg_pool1d - AdaptiveAvgPool1d
layer adaptive_avg_pool2d - AdaptiveAvgPool2d
layer adaptive_avg_pool3d - AdaptiveAvgPool3d
layer adaptive_max_pool1d - AdaptiveMaxPool1d
layer adaptive_max_pool2d - AdaptiveMaxPool2d
layer adaptive_max_pool3d - AdaptiveMaxPool3d
layer pad - ZeroPad1d ZeroPad2d ZeroPad3d ConstantPad1d ConstantPad2d ConstantPad3d
layer pad/reflect - ReflectionPad1d ReflectionPad2d ReflectionPad3d
layer pad/replicate - ReplicationPad1d ReplicationPad2d ReplicationPad3d
layer pad/circular - CircularPad1d CircularPad2d CircularPad3d
layer interpolate - Upsample UpsamplingBilinear2d UpsamplingNearest2d
layer pixel_shuffle - PixelShuffle
layer pixel_unshuffle - PixelUnshuffle
layer channel_shuffle - ChannelShuffle
layer flatten - Flatten
layer unflatten - Unflatten
layer fold - Fold
layer unfold - Unfold
layer identity - Identity
layer cosine_similarity - CosineSimilarity
layer pairwise_distance - PairwiseDistance
activation relu - ReLU
activation relu6 - ReLU6
activation leaky_relu - LeakyReLU
activation elu - ELU
activation selu - SELU
activation celu - CELU
activation gelu - GELU
activation silu - SiLU
activation mish - Mish
activation glu - GLU
activation sigmoid - Sigmoid
activation logsigmoid - LogSigmoid
activation tanh - Tanh
activation tanhshrink - Tanhshrink
activation softplus - Softplus
activation softsign - Softsign
activation softshrink - Softshrink
activation hardshrink - Hardshrink
activation hardsigmoid - Hardsigmoid
activation hardswish - Hardswish
activation hardtanh - Hardtanh
activation threshold - Threshold
activation softmax - Softmax Softmax2d
activation log_softmax - LogSoftmax
activation softmin - Softmin
activation rrelu - RReLU
activation prelu weight PReLU
norm batch_norm weight,bias BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm
norm batch_norm weight,bias LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d
norm instance_norm weight,bias InstanceNorm1d InstanceNorm2d InstanceNorm3d
norm instance_norm weight,bias LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d
norm layer_norm weight,bias LayerNorm
norm group_norm weight,bias GroupNorm
norm rms_norm weight RMSNorm
norm local_response_norm - LocalResponseNorm
norm cross_map_lrn - CrossMapLRN2d
dropout dropout - Dropout
dropout dropout1d - Dropout1d
dropout dropout2d - Dropout2d
dropout dropout3d - Dropout3d
dropout alpha_dropout - AlphaDropout
dropout feature_alpha_dropout - FeatureAlphaDropout
recurrent lstm weight_ih_l0,weight_hh_l0,bias_ih_l0,bias_hh_l0 LSTM
recurrent gru weight_ih_l0,weight_hh_l0,bias_ih_l0,bias_hh_l0 GRU
recurrent rnn_tanh weight_ih_l0,weight_hh_l0,bias_ih_l0,bias_hh_l0 RNN RNNBase
recurrent lstm_cell weight_ih,weight_hh,bias_ih,bias_hh LSTMCell
recurrent gru_cell weight_ih,weight_hh,bias_ih,bias_hh GRUCell
recurrent rnn_tanh_cell weight_ih,weight_hh,bias_ih,bias_hh RNNCell RNNCellBase
loss mse_loss - MSELoss
loss l1_loss - L1Loss
loss smooth_l1_loss - SmoothL1Loss
loss huber_loss - HuberLoss
loss cross_entropy - CrossEntropyLoss
loss nll_loss - NLLLoss NLLLoss2d
loss binary_cross_entropy - BCELoss
loss binary_cross_entropy_with_logits - BCEWithLogitsLoss
loss kl_div - KLDivLoss
loss poisson_nll_loss - PoissonNLLLoss
loss gaussian_nll_loss - GaussianNLLLoss
loss hinge_embedding_loss - HingeEmbeddingLoss
loss margin_ranking_loss - MarginRankingLoss
loss soft_margin_loss - SoftMarginLoss
loss multi_margin_loss - MultiMarginLoss
loss multilabel_margin_loss - MultiLabelMarginLoss
loss multilabel_soft_margin_loss - MultiLabelSoftMarginLoss
loss cosine_embedding_loss - CosineEmbeddingLoss
loss triplet_margin_loss - TripletMarginLoss
loss triplet_margin_with_distance_loss - TripletMarginWithDistanceLoss
loss ctc_loss - CTCLoss
loss linear_cross_entropy linear.weight LinearCrossEntropyLoss
loss adaptive_log_softmax * AdaptiveLogSoftmaxWithLoss
container - - Sequential ModuleList ModuleDict DataParallel
other - - Module Container ParameterList ParameterDict
"""

_TUPLES = frozenset(
    {"LSTM", "GRU", "RNN", "RNNBase", "LSTMCell", "MultiheadAttention", "AdaptiveLogSoftmaxWithLoss"}
)

_MODE_DEPENDENT_OPS = frozenset({"batch_norm", "rrelu", "transformer"})

# The operands of an op, in the op table's order, by what a layer has; `-` is a tensor of its own.
_OPERANDS = {
    "batch_norm": ("input", "-", "-", "weight", "bias"),
    "instance_norm": ("input", "-", "-", "weight", "bias"),
    "bilinear": ("input", "input", "weight", "bias"),
    "cosine_similarity": ("input", "input"),
    "pairwise_distance": ("input", "input"),
    "max_unpool1d": ("input", "-"),
    "max_unpool2d": ("input", "-"),
    "max_unpool3d": ("input", "-"),
}

_WIDTHS = ("out_features", "embedding_dim", "hidden_size", "out_channels", "embed_dim")


def layer_info(name: str) -> LayerInfo | None:
    """The layer class `name` (a dotted prefix is dropped); None if `torch.nn` has none such."""
    return _table().get(name.rpartition(".")[2])


def layer_params(layer: str, constants: Mapping[str, object]) -> tuple[str, ...]:
    """The parameters that a layer has when its constructor got `constants` (by name, where known)."""
    info = layer_info(layer)
    if info is None:
        return ()
    affine_by_default = info.op != "instance_norm"
    if constants.get("affine", affine_by_default) is False and info.kind == "norm":
        return ()
    if constants.get("elementwise_affine") is False and info.kind == "norm":
        return ()
    if constants.get("bias") is False:
        return tuple(p for p in info.params if "bias" not in p)
    return info.params


def layer_saved(
    layer: str,
    input_needs_grad: bool,
    params_need_grad: bool | Collection[str],
    training: bool = True,
    *,
    hidden_needs_grad: bool = False,
    inplace: bool = False,
    variant: str = "",
) -> LayerSaved:
    """What the forward of `layer` keeps for its backward.

    `params_need_grad` tells it of all parameters, or names those that do. A parameter that this layer
    lacks (a `bias` that was switched off) may be among those named in the answer; the further layers
    of a recurrent module are not told apart from its first. A container keeps nothing of its own; an
    unknown class something.
    """
    params = params_need_grad if isinstance(params_need_grad, bool) else frozenset(params_need_grad)
    return _layer_saved(layer, input_needs_grad, params, training, hidden_needs_grad, inplace, variant)


@functools.lru_cache(maxsize=1024)
def _layer_saved(
    layer: str,
    input_needs_grad: bool,
    params_need_grad: bool | frozenset[str],
    training: bool,
    hidden_needs_grad: bool,
    inplace: bool,
    variant: str,
) -> LayerSaved:
    info = layer_info(layer)
    if info is None:
        return LayerSaved(other=True)
    if not info.op:
        return LayerSaved()
    given = {"input": input_needs_grad, "-": False, "hidden": hidden_needs_grad}
    names = _operands(info)
    needs = [given.get(name, _needs(name, params_need_grad)) for name in names]
    found = optable.saved(
        info.op,
        [Operand(tensor=True, needs_grad=need) for need in needs],
        training=training,
        inplace=inplace,
        variant=variant or info.variant,
    )
    kept = {names[k] for k in found.inputs}
    other = found.other or bool(kept & {"-", "hidden"})
    return LayerSaved("input" in kept, tuple(p for p in info.params if p in kept), found.result, other)


def _needs(param: str, params_need_grad: bool | Collection[str]) -> bool:
    if isinstance(params_need_grad, bool):
        return params_need_grad
    return param in params_need_grad or (param == EVERY and bool(params_need_grad))


def _operands(info: LayerInfo) -> tuple[str, ...]:
    if info.op in _OPERANDS:
        return _OPERANDS[info.op]
    extra = {"loss": ("-",), "recurrent": ("hidden",)}.get(info.kind, ())
    return ("input", *info.params, *extra)


def layer_names() -> Iterator[str]:
    """The name of each class in the table."""
    yield from _table()


@functools.cache
def _table() -> dict[str, LayerInfo]:
    return {info.name: info for line in _ROWS.split("\n") if line for info in _layers(line)}


def _layers(line: str) -> Iterator[LayerInfo]:
    kind, op, params, *names = line.split()
    op, _, variant = op.strip("-").partition("/")
    for name in names:
        arguments = constructor(name)
        yield LayerInfo(
            name=name,
            kind=_kind(kind),
            op=op,
            params=tuple(params.strip("-").split(",")) if params != "-" else (),
            returns="tuple" if name in _TUPLES else "tensor",
            width=next((w for w in _WIDTHS if w in arguments), "") if kind != "loss" else "",
            mode_dependent=kind == "dropout" or op in _MODE_DEPENDENT_OPS,
            variant=variant,
        )


def _kind(word: str) -> Kind:
    match word:
        case "layer" | "activation" | "norm" | "dropout" | "recurrent" | "loss" | "container":
            return word
        case _:
            return "other"
