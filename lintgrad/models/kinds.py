"""Kinds of values that nothing constructs in sight: told from uses, annotations and, last, names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine.values import Tensor, Unknown, Value
from lintgrad.models import modules, optimizers, scalers
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

_OPTIMIZER_NAME = re.compile(r"optim|(^|_)opts?($|_|\d)|solver$|_opt$", re.IGNORECASE)
_SCHEDULER_NAME = re.compile(r"sched|warmup|annealer|plateau", re.IGNORECASE)
_SCALES_GRADIENTS = frozenset("unscale_ update".split())
_SCALER_NAME = re.compile(r"grad_?scaler$|^_?scaler$|amp_?scaler$", re.IGNORECASE)
_MODULE_USES = frozenset(
    "parameters named_parameters modules named_modules state_dict load_state_dict children".split()
)
_MODES = frozenset("train eval".split())
_SCALER_USES = frozenset("scale unscale_ get_scale".split())


def infer(m: Machine, place: str, uses: frozenset[str], value: Value) -> Value | None:
    """What `value` at `place` is, told from the attributes that the code around reads from it."""
    name = place.rpartition(".")[2]
    node = nodes.Node(value.site.origin if isinstance(value, Unknown) and value.site else None)
    if uses & _SCALER_USES and ("step" in uses or (uses & _SCALES_GRADIENTS and _SCALER_NAME.search(name))):
        return scalers.inferred(place)
    if "step" in uses and ("zero_grad" in uses or "param_groups" in uses) and "backward" not in uses:
        if "parameters" not in uses and not _SCHEDULER_NAME.search(name):
            return optimizers.opaque(m, node, place)
    if uses & {"zero_grad", "step", "param_groups"} and _OPTIMIZER_NAME.search(name):
        if not _SCHEDULER_NAME.search(name) and not uses & _MODULE_USES:
            return optimizers.opaque(m, node, place)
    if uses & {"step", "get_last_lr"} and _SCHEDULER_NAME.search(name):
        return Unknown("scheduler", place=place)
    if "backward" in uses or "step" in uses:
        return None
    if uses & _MODULE_USES or uses >= _MODES or (uses & _MODES and "()" in uses):
        return modules.opaque(m, node, place)
    if "zero_grad" in uses:
        return modules.opaque(m, node, place, Confidence.LIKELY)
    return None


def annotated(m: Machine, annotation: str, place: str) -> Value | None:
    """A value of the annotated kind; None for an annotation that tells nothing."""
    last = annotation.rpartition(".")[2]
    node = nodes.Node(None)
    if last == "Module" or last.endswith(("Model", "Net", "Network", "PreTrainedModel")):
        return modules.opaque(m, node, place)
    if last in ("Optimizer", "Adam", "AdamW", "SGD", "RMSprop", "Adagrad"):
        return optimizers.opaque(m, node, place)
    if last.endswith("Scheduler"):
        return Unknown("scheduler", place=place)
    if last == "GradScaler":
        return scalers.inferred(place)
    if last in ("int", "float", "str", "bool", "Path", "Namespace", "DictConfig"):
        return Unknown("option", place=place)
    if last in ("DataLoader", "Dataset", "Iterable", "Iterator"):
        return Unknown("loader", place=place)
    return None


def acts_as(
    m: Machine, receiver: Unknown, method: str, place: str, uses: frozenset[str], node: nodes.Node
) -> Value | None:
    """The kind of an unknown on which `place.method(...)` is called, where the call itself tells."""
    name = place.rpartition(".")[2]
    if method == "zero_grad":
        if "step" in uses or _OPTIMIZER_NAME.search(name):
            return optimizers.opaque(m, node, place)
        return modules.opaque(m, node, place)
    if method == "step" and _OPTIMIZER_NAME.search(name) and not _SCHEDULER_NAME.search(name):
        return optimizers.opaque(m, node, place)
    if method == "step" and _SCHEDULER_NAME.search(name):
        return Unknown("scheduler", place=place)
    if method in _MODULE_USES or (method in _MODES and not isinstance(receiver.acts_as, Tensor)):
        if receiver.reason not in ("loader", "option"):
            return modules.opaque(m, node, place)
    return None
