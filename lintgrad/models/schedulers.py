"""Learning rate schedulers of torch and of transformers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from lintgrad.machine import protocol
from lintgrad.machine.schedules import SchedulerStep, ScheduleV
from lintgrad.machine.values import Arguments, OptimizerV, Unknown, Value
from lintgrad.models.optim_names import SCHEDULERS

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

Handler = Callable[["Machine", Arguments, "nodes.Expr"], "Value | None"]

_POSITIONS: dict[str, tuple[str, ...]] = {
    "StepLR": ("step_size", "gamma"),
    "MultiStepLR": ("milestones", "gamma"),
    "LambdaLR": ("lr_lambda",),
    "LinearLR": ("start_factor", "end_factor", "total_iters"),
    "ConstantLR": ("factor", "total_iters"),
    "PolynomialLR": ("total_iters", "power"),
    "ExponentialLR": ("gamma",),
    "CosineAnnealingLR": ("T_max", "eta_min"),
    "CosineAnnealingWarmRestarts": ("T_0", "T_mult"),
    "OneCycleLR": ("max_lr", "total_steps", "epochs", "steps_per_epoch"),
    "get_linear_schedule_with_warmup": ("num_warmup_steps", "num_training_steps"),
    "get_cosine_schedule_with_warmup": ("num_warmup_steps", "num_training_steps"),
    "get_cosine_with_hard_restarts_schedule_with_warmup": ("num_warmup_steps", "num_training_steps"),
    "get_polynomial_decay_schedule_with_warmup": ("num_warmup_steps", "num_training_steps"),
}
"""The names of the arguments after the optimizer, in their order."""

_MODULES = ("torch.optim.lr_scheduler.", "torch.optim.swa_utils.")
_TRANSFORMERS = ("transformers.", "transformers.optimization.")


def construct(m: Machine, args: Arguments, node: nodes.Expr, *, kind: str = "") -> ScheduleV:
    """`StepLR(optimizer, ...)` and its like."""
    first = args.get(0, "optimizer")
    options = dict(zip(_POSITIONS.get(kind, ()), args.positional[1:], strict=False)) | args.keywords
    made = ScheduleV("scheduler", m.site(node), place="scheduler", kind=kind, options=options)
    made.holds = first.acts_as if isinstance(first, Unknown) and first.acts_as is not None else first
    return made


def step(m: Machine, receiver: Unknown, args: Arguments, node: nodes.Expr) -> None:
    """`scheduler.step(...)`: note it."""
    made = SchedulerStep(
        site=m.site(node),
        stack=m.stack,
        turn=m.turn,
        seq=m.tick(),
        name=protocol.written(node),
        optimizer=receiver.holds if isinstance(receiver.holds, OptimizerV) else None,
        given=bool(args.all()),
        argument=next(iter(args.all()), None),
        schedule=receiver if isinstance(receiver, ScheduleV) else None,
    )
    m.record(made)


HANDLERS: dict[str, Handler] = {
    **{module + kind: partial(construct, kind=kind) for module in _MODULES for kind in SCHEDULERS},
    **{
        module + kind: partial(construct, kind=kind)
        for module in _TRANSFORMERS
        for kind in _POSITIONS
        if kind.startswith("get_")
    },
}
"""By qualified name."""
