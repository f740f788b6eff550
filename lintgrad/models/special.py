"""Methods of what is no tensor, module or optimizer: schedulers, scalers, contexts, classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine import members
from lintgrad.machine.scaling import ScalerV
from lintgrad.machine.values import (
    NONE,
    Arguments,
    ClassV,
    ContextV,
    FunctionV,
    Lit,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import (
    loading,
    modules,
    ops,
    scalers,
    schedulers,
)
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def of_known_kind(
    m: Machine, receiver: Unknown, name: str, args: Arguments, node: nodes.Expr
) -> Value | None:
    """A method of a scheduler, a scaler, a distribution or a configuration."""
    if name == "get" and args.positional and isinstance(args.first, Lit) and not receiver.sources:
        return members.item(m, receiver, args.first, node)  # the same choice, however it is asked for
    match receiver.reason:
        case "scheduler":
            if name == "step":
                schedulers.step(m, receiver, args, node)
            return m.unknown(node, "plain")
        case "loader":
            return loading.method(receiver, name)
        case "scaler" if isinstance(receiver, ScalerV):
            return scalers.method(m, receiver, name, args, node)
        case "distribution" if name == "sample":
            m.sever(node, name, m.sources(receiver))
            return Tensor(m.storage(), site=m.site(node))
        case _:
            return None


def of_context(m: Machine, receiver: ContextV, name: str) -> Value | None:
    """`__enter__` and `__exit__` called by name."""
    if receiver.grad is not None and name == "__enter__":
        m.switch_grad(receiver.grad, receiver.site)
    if receiver.grad is not None and name == "__exit__":
        m.grad = True
    return NONE if name in ("__enter__", "__exit__") else None


def of_class(m: Machine, receiver: ClassV, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """`MyFunction.apply(...)` of a torch.autograd.Function."""
    bases = [getattr(base, "name", "") for base in receiver.order]
    if name == "apply" and any(base.endswith("Function") for base in bases):
        forward = members.class_member(receiver, "forward")
        words = forward.definition.words if isinstance(forward, FunctionV) else frozenset[str]()
        keeps = "save_for_backward" in words
        tapes = ops.tapes_of([t for _, t in ops.operands(m, args.all(), node) if t is not None])
        return m.tensor(
            node, inputs=tapes, op=receiver.definition.name, keeps=keeps, confidence=Confidence.LIKELY
        )
    if name in ("load_from_checkpoint", "from_pretrained"):
        return modules.opaque(m, node, receiver.definition.name)
    return None
