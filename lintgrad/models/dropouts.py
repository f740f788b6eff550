"""Dropouts that stand in a module's forward and do not know of its mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.modes import DeafDropout
from lintgrad.machine.values import Arguments, Lit

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.machine.values import ModuleV
    from lintgrad.program import nodes

FUNCTIONS = frozenset("dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split())
"""Those of torch.nn.functional whose `training` is true by default."""


def always_drops(args: Arguments) -> bool:
    """Whether `F.dropout(x, p, training)` was left to its default, and drops anything."""
    probability = args.get(1, "p")
    nothing = isinstance(probability, Lit) and probability.value in (0, 0.0)
    return args.get(2, "training") is None and not args.extra and not nothing


def in_forward(m: Machine) -> bool:
    """Whether a module's `forward` is running."""
    for frame in reversed(m.frames):  # noqa: SIM110 - a generator for `any` takes twice as long
        if frame.name == "forward" and frame.definition is not None:
            return True
    return False


def note(m: Machine, made: ModuleV | None, node: nodes.Node) -> None:
    """Note a dropout that does not know of train and eval: made in a forward, or a function's default.

    One that only one mode comes to needs not know.
    """
    if m.guarded or any(frame.guarded for frame in m.frames):
        return
    m.record(DeafDropout(**m.here(node), made=made, owner=m.frame.receiver))
