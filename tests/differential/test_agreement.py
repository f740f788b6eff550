"""Random training programs: the machine and torch agree on what raises, and which gradients are stale."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings

from tests.differential.comparing import disagreements
from tests.differential.programs import programs
from tests.differential.torch_seen import NotJudgedError, Server

pytestmark = pytest.mark.torch

# No shrinking: `hunt` makes a failure smaller much faster, statement by statement.
FEW = settings(
    max_examples=150,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@given(text=programs())
@FEW
def test_the_machine_agrees_with_torch(text: str, torch: Server) -> None:
    try:
        different = disagreements(text, torch)
    except NotJudgedError:
        reject()
    assert different == [], text
