"""Trainers of strange build: a fault in them is found, and nothing breaks."""

from __future__ import annotations

import pytest

from tests.robustness.linting import lint
from tests.robustness.trainer_cases import CASES, PRELUDE


@pytest.mark.parametrize("name", CASES)
def test_a_second_backward_is_found_with(name: str) -> None:
    program = PRELUDE + CASES[name]
    compile(program, "program.py", "exec")
    linted = lint(program)
    marked = [(n, "LG101") for n, line in enumerate(program.splitlines(), 1) if "#!" in line]
    assert linted.result.failures == ()
    assert linted.found == marked
