"""Learning rate schedulers of torch and of transformers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from lintgrad.machine import protocol, units
from lintgrad.machine.schedules import SchedulerStep, ScheduleV
from lintgrad.machine.turns import Activation, chain
from lintgrad.machine.values import Arguments, FunctionV, ListV, Lit, OptimizerV, Unknown, Value
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
        **m.here(node),
        name=protocol.written(node),
        optimizer=receiver.holds if isinstance(receiver.holds, OptimizerV) else None,
        given=bool(args.all()),
        argument=next(iter(args.all()), None),
        schedule=receiver if isinstance(receiver, ScheduleV) else None,
    )
    if made.schedule is not None and not made.given:
        _measure(m, made, made.schedule)
    m.record(made)


_HORIZON = {
    "CosineAnnealingLR": "T_max",
    "LinearLR": "total_iters",
    "OneCycleLR": "total_steps",
    "PolynomialLR": "total_iters",
}


def _measure(m: Machine, made: SchedulerStep, schedule: ScheduleV) -> None:
    """Find out what unit the schedule was built for."""
    horizon = schedule.options.get(_HORIZON.get(schedule.kind, "num_training_steps"))
    made.counted = units.counted_loop(m, horizon, m.turn)
    made.batches = units.counts_batches(m, horizon)
    if schedule.kind == "OneCycleLR" and horizon is None:
        made.batches = units.counts_batches(m, schedule.options.get("steps_per_epoch"))
    if schedule.kind == "LambdaLR":
        function = schedule.options.get("lr_lambda")
        made.counted = units.captured_loop(m, function, m.turn) if isinstance(function, FunctionV) else None
    if schedule.kind == "MultiStepLR" and made.counted is None:
        made.counted = _fitting_loop(m, schedule.options.get("milestones"))
        made.early = made.counted is not None


def _fitting_loop(m: Machine, milestones: Value | None) -> Activation | None:
    """The loop around in whose turns the milestones lie, the last one past a third of them."""
    given = milestones.items if isinstance(milestones, ListV) and milestones.exact else []
    numbers = [one.value for one in given if isinstance(one, Lit) and isinstance(one.value, int)]
    for turn in chain(m.turn):
        count = turn.loop.count
        turns = count.value if isinstance(count, Lit) else None
        if numbers and len(numbers) == len(given) and isinstance(turns, int) and turns > 5:
            if turns / 3 <= max(numbers) < turns:
                return turn.loop
    return None


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
