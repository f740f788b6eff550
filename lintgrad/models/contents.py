"""Content facts: what kind of values an operation makes of those that it was given, and what losses get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lintgrad.diagnostics import Site
from lintgrad.machine.contents import Content, Kind
from lintgrad.machine.losses import LossCall
from lintgrad.machine.values import Lit, Tensor, Value

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

_MAKES: dict[str, Kind] = {
    "softmax": "probabilities",
    "softmin": "probabilities",
    "log_softmax": "log-probabilities",
    "sigmoid": "sigmoids",
    "hardsigmoid": "sigmoids",
    "expit": "sigmoids",
    "logsigmoid": "log-sigmoids",
    "linear": "scores",
    "conv1d": "scores",
    "conv2d": "scores",
    "conv3d": "scores",
    "conv_transpose1d": "scores",
    "conv_transpose2d": "scores",
    "conv_transpose3d": "scores",
    "bilinear": "scores",
}
_KEEPS = frozenset(
    """
    view reshape squeeze unsqueeze flatten unflatten permute transpose t swapaxes movedim contiguous detach
    clone to float double half type_as getitem select narrow chunk split unbind index_select expand repeat
    cat concat stack clamp clip clamp_min dropout view_as reshape_as requires_grad_ cpu cuda as_strided
    """.split()
)
_SMALL = 1e-3

LOSSES = frozenset(
    """
    cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div
    multilabel_soft_margin_loss
    """.split()
)
"""The criteria whose arguments the rules ask about."""


def of_result(op: str, given: Sequence[tuple[Value, Tensor | None]], site: Site) -> Content | None:
    """What the result of `op` on `given` holds, where that is known."""
    kind = _MAKES.get(op)
    if kind is not None:
        return Content(kind, op, site)
    tensors = [tensor for _, tensor in given if tensor is not None]
    first = tensors[0].content if tensors else None
    if first is None:
        return None
    if op in _KEEPS:
        known = [t.content.kind for t in tensors if t.content is not None]
        alike = op not in ("cat", "concat", "stack") or known == [first.kind] * len(tensors)
        return first if alike else None
    if op == "log":
        return _log(first, site)
    if op == "exp":
        return Content("probabilities", op, site) if first.kind == "log-probabilities" else None
    return first if op in ("add", "sub") and _by_little(given) else None


def of_layer(content: Content | None, op: str, site: Site | None) -> Content | None:
    """What a layer's result holds: made where the layer was built, if the layer itself made it."""
    if content is not None and content.op == op and site is not None:
        return Content(content.kind, op, site)
    return content


def of_scores(layer: str, site: Site) -> Content | None:
    """What a layer with weights gives: scores of any size, where nothing follows in the layer."""
    return Content("scores", layer, site) if layer.startswith(_SCORING) else None


_SCORING = ("Linear", "Conv", "Bilinear", "LazyLinear", "LazyConv")


def _log(content: Content, site: Site) -> Content | None:
    match content.kind:
        case "probabilities":
            return Content("log-probabilities", "log", site)
        case "sigmoids":
            return Content("log-sigmoids", "log", site)
        case _:
            return None


def _by_little(given: Sequence[tuple[Value, Tensor | None]]) -> bool:
    """Whether a small number is added, against a logarithm of zero."""
    numbers = [value for value, tensor in given if tensor is None]
    return (
        len(numbers) == 1
        and isinstance(numbers[0], Lit)
        and isinstance(numbers[0].value, float)
        and abs(numbers[0].value) < _SMALL
    )


def note_loss(m: Machine, op: str, values: list[Value], keywords: dict[str, Value], node: nodes.Node) -> None:
    """Note the call of a criterion with what it was given."""
    first = values[0] if values else keywords.get("input")
    second = values[1] if len(values) > 1 else keywords.get("target")
    if first is None or second is None:
        return
    m.record(
        LossCall(
            **m.here(node),
            loss=op,
            input=m.as_tensor(first, node),
            target=m.as_tensor(second, node),
        )
    )
