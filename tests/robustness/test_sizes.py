"""Large programs, and small ones that grow: each ends soon, within little memory."""

from __future__ import annotations

import pytest

from tests.robustness.linting import lint
from tests.robustness.size_cases import BOUND, FAULT, FOUND, PRELUDE

SECONDS = 5
"""Of processor time: the largest take a second where nothing else runs."""


@pytest.mark.parametrize("name", FOUND)
def test_the_fault_behind_it_is_found(name: str) -> None:
    program = PRELUDE + FOUND[name] + FAULT
    linted = lint(program)
    assert linted.result.failures == ()
    assert (len(program.splitlines()), "LG101") in linted.found
    assert linted.seconds < SECONDS


@pytest.mark.parametrize("name", BOUND)
def test_it_ends(name: str) -> None:
    linted = lint(PRELUDE + BOUND[name] + FAULT)
    assert linted.result.failures == ()
    assert linted.parsed
    assert linted.result.stats.exhausted
    assert linted.seconds < SECONDS
