"""The optimizers and learning rate schedulers of torch, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

OPTIMIZERS = frozenset(
    {
        "ASGD",
        "Adadelta",
        "Adafactor",
        "Adagrad",
        "Adam",
        "AdamW",
        "Adamax",
        "LBFGS",
        "Muon",
        "NAdam",
        "RAdam",
        "RMSprop",
        "Rprop",
        "SGD",
        "SparseAdam",
    }
)

CLOSURE_OPTIMIZERS = frozenset({"LBFGS"})
"""Those whose `step` must be given a closure; it evaluates the model anew, several times."""


@dataclass(frozen=True, slots=True)
class SchedulerInfo:
    """A learning rate scheduler.

    unit     what its numbers count as a rule: `epoch`, `batch`, or `any` where both are usual
    metric   `step` takes the monitored value
    wraps    it is made of other schedulers
    """

    name: str
    unit: Literal["epoch", "batch", "any"]
    metric: bool = False
    wraps: bool = False


_EPOCH = "StepLR MultiStepLR ExponentialLR MultiplicativeLR SWALR"
_BATCH = "OneCycleLR CyclicLR"
_ANY = "LRScheduler LambdaLR ConstantLR LinearLR PolynomialLR CosineAnnealingLR CosineAnnealingWarmRestarts"
_WRAPPERS = "SequentialLR ChainedScheduler"

SCHEDULERS: dict[str, SchedulerInfo] = {
    "ReduceLROnPlateau": SchedulerInfo("ReduceLROnPlateau", "epoch", metric=True),
    **{name: SchedulerInfo(name, "epoch") for name in _EPOCH.split()},
    **{name: SchedulerInfo(name, "batch") for name in _BATCH.split()},
    **{name: SchedulerInfo(name, "any") for name in _ANY.split()},
    **{name: SchedulerInfo(name, "any", wraps=True) for name in _WRAPPERS.split()},
}
"""The schedulers of `torch.optim.lr_scheduler` and `torch.optim.swa_utils`."""
