"""Frameworks' own ways of running the protocol: backward, scaling, preparing, through an object of theirs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lintgrad.machine import protocol
from lintgrad.machine.values import (
    Arguments,
    Instance,
    ListV,
    ModuleV,
    OptimizerV,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import engines
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


_FRAMEWORK_BACKWARD = frozenset("backward manual_backward".split())


def method(m: Machine, receiver: Value, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """`accelerator.backward(loss)`, `scaler.step(optimizer)`, `fabric.setup(model)` and their like."""
    if name in _FRAMEWORK_BACKWARD and carries(args) and is_engine(m, receiver, name, args):
        found = engines.backward(m, args, node)
        if found is not None:
            return found
    if isinstance(receiver, Unknown) and name == "step" and args.positional:
        optimizer = args.positional[0]
        inner = optimizer.acts_as if isinstance(optimizer, Unknown) else optimizer
        if isinstance(inner, OptimizerV):
            m.step(node, inner, name=protocol.handed(node))
            return m.unknown(node, "plain")
    if isinstance(receiver, Unknown) and name in ("prepare", "setup", "setup_dataloaders", "prepare_model"):
        if len(args.positional) == 1:
            return args.positional[0]
        if args.positional:
            return ListV("tuple", list(args.positional), True, m.tick())
    return None


_ENGINE_NAME = re.compile(
    r"accel|fabric|engine|trainer|runner|booster|manager|strategy|plugin|scaler|^self$|^amp$"
)


def is_engine(m: Machine, receiver: Value, name: str, args: Arguments) -> bool:
    """Whether `receiver.backward(x)` runs backward on x; on a tensor, x is the upstream gradient."""
    if name == "manual_backward" or isinstance(receiver, (Instance, ModuleV)):
        return True
    if not isinstance(receiver, Unknown) or is_tensor(receiver):
        return False
    if _ENGINE_NAME.search(receiver.place.rpartition(".")[2].lower()):
        return True
    loss = args.positional[0]
    return (isinstance(loss, Tensor) and loss.tape is not None) or bool(m.sources(loss))


def carries(args: Arguments) -> bool:
    """Whether the first argument may be a loss."""
    return bool(args.positional) and isinstance(args.positional[0], (Tensor, Unknown))


def is_tensor(receiver: Unknown) -> bool:
    """Whether an unknown is used as a tensor or carries a graph."""
    return isinstance(receiver.acts_as, Tensor) or (bool(receiver.sources) and receiver.acts_as is None)
