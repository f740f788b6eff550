"""The names of optimizers and schedulers against `torch.optim`."""

from __future__ import annotations

import inspect

import pytest
from torch import optim
from torch.optim import lr_scheduler, swa_utils

from lintgrad.models.optim_names import CLOSURE_OPTIMIZERS, OPTIMIZERS, SCHEDULERS
from lintgrad.models.signatures import constructor


def test_all_optimizers_of_torch_are_known() -> None:
    classes = {n for n, v in vars(optim).items() if inspect.isclass(v) and issubclass(v, optim.Optimizer)}
    assert classes - {"Optimizer"} == OPTIMIZERS


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_a_closure_is_needed_where_it_has_no_default(name: str) -> None:
    closure = inspect.signature(getattr(optim, name).step).parameters["closure"]
    assert (closure.default is closure.empty) == (name in CLOSURE_OPTIMIZERS)


def schedulers() -> dict[str, type]:
    return {
        name: value
        for module in (lr_scheduler, swa_utils)
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, lr_scheduler.LRScheduler) and not name.startswith("_")
    }


def test_all_schedulers_of_torch_are_known() -> None:
    assert set(schedulers()) == set(SCHEDULERS)


@pytest.mark.parametrize("name", sorted(SCHEDULERS))
def test_a_metric_is_taken_by_those_marked(name: str) -> None:
    step = inspect.signature(schedulers()[name].step).parameters  # type: ignore[attr-defined]
    assert ("metrics" in step) == SCHEDULERS[name].metric
    assert ("schedulers" in constructor(name)) == SCHEDULERS[name].wraps
    assert name == SCHEDULERS[name].name


def test_constructors_are_those_of_torch() -> None:
    assert constructor("SGD")[:2] == ("params", "lr")
    assert constructor("StepLR")[:2] == ("optimizer", "step_size")
    assert constructor("Frobnicator") == ()
