"""What the names in a function stand for, told from what the function does with them.

The same signs, in the same order, by which the machine knows an optimizer that nothing in sight
constructs: uses first, annotations, and names last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lintgrad.program import nodes
from lintgrad.program.text import text as written

_MODULE = frozenset("parameters named_parameters modules children state_dict load_state_dict".split())
_MODES = frozenset(("train", "eval"))
_SCALER = frozenset("unscale_ get_scale".split())
_TENSOR = frozenset(
    "backward detach item size shape view mean sum grad requires_grad requires_grad_ float long "
    "unsqueeze squeeze permute reshape clone".split()
)
_SCHEDULER = frozenset("get_last_lr last_epoch".split())

_NAMES = (
    ("scheduler", re.compile(r"sched|warmup|annealer|plateau", re.IGNORECASE)),
    ("optimizer", re.compile(r"optim|(^|_)opts?($|_|\d)|solver$", re.IGNORECASE)),
    ("scaler", re.compile(r"scaler", re.IGNORECASE)),
    ("loader", re.compile(r"loader|dataset|batches", re.IGNORECASE)),
    ("criterion", re.compile(r"criteri|loss_f|_loss$|loss_func", re.IGNORECASE)),
    ("device", re.compile(r"^device$", re.IGNORECASE)),
    ("config", re.compile(r"^(args|cfg|config|opt|options|hparams|conf|params)$", re.IGNORECASE)),
    ("module", re.compile(r"model|net$|^net|generator|discriminator|encoder|decoder", re.IGNORECASE)),
)
_ANNOTATIONS = (
    ("module", re.compile(r"(Module|Model|Net|Network)$")),
    ("scheduler", re.compile(r"Scheduler$|^LambdaLR$")),
    ("optimizer", re.compile(r"^(Optimizer|SGD|Adam|AdamW|RMSprop|Adagrad)$")),
    ("scaler", re.compile(r"^GradScaler$")),
    ("loader", re.compile(r"^(DataLoader|Dataset|Iterable|Iterator)$")),
    ("tensor", re.compile(r"Tensor$|^Variable$")),
    ("device", re.compile(r"^device$")),
    ("number", re.compile(r"^(int|float|bool)$")),
    ("text", re.compile(r"^(str|Path)$")),
    ("config", re.compile(r"^(Namespace|DictConfig)$")),
)


def kinds(function: nodes.FunctionDef | None, uses: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """The kind of each place in `uses` and of each parameter, as far as something tells it."""
    found: dict[str, str] = {}
    for parameter in function.parameters if function is not None else ():
        kind = _annotated(parameter.annotation)
        if kind:
            found[parameter.name] = kind
    for place, words in uses.items():
        if place not in found:
            kind = kind_of(place, words)
            if kind:
                found[place] = kind
    return found


def kind_of(place: str, words: frozenset[str]) -> str:
    """The kind of a place of which `words` are used (`()` where it is called, `for` where iterated)."""
    name = place.rpartition(".")[2]
    by_name = next((kind for kind, pattern in _NAMES if pattern.search(name)), "")
    if words & _SCALER and "step" in words:
        return "scaler"
    if "step" in words and words & {"zero_grad", "param_groups"} and by_name != "scheduler":
        return "optimizer"
    if words & _SCHEDULER or ("step" in words and by_name == "scheduler"):
        return "scheduler"
    if words & _MODULE or words >= _MODES or (words & _MODES and "()" in words):
        return "module"
    if words & {"zero_grad", "step"}:
        return "optimizer" if by_name == "optimizer" else ""
    if "backward" in words:
        return "tensor"
    return _agreeing(by_name, words)


def _agreeing(by_name: str, words: frozenset[str]) -> str:
    """The kind that a name tells, where the uses do not speak against it."""
    called, iterated = "()" in words, "for" in words
    if by_name in ("criterion", "module"):
        return by_name if called else ""
    if by_name == "loader":
        return by_name if iterated else ""
    if by_name in ("device", "config"):
        return "" if called or iterated else by_name
    return "tensor" if words & _TENSOR and not called else ""


def _annotated(annotation: nodes.Expr | None) -> str:
    """The kind that an annotation names: `nn.Module`, or the string "nn.Module"."""
    if isinstance(annotation, nodes.Const) and isinstance(annotation.value, str):
        name = annotation.value
    else:
        name = "" if annotation is None else written(annotation)
    last = name.rpartition(".")[2]
    return next((kind for kind, pattern in _ANNOTATIONS if pattern.search(last)), "")
