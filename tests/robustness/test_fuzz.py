"""No program makes lintgrad fail or hang: a small part of what `fuzz.py` tries, the same each time."""

from __future__ import annotations

import random

import pytest

from tests.robustness.fuzz import KINDS, fault
from tests.robustness.linting import lint

PART = 25
"""Programs a test: few enough to find the one that fails."""


@pytest.mark.parametrize("part", range(8))
@pytest.mark.parametrize("kind", [name for name, _ in KINDS])
def test_mutants(kind: str, part: int) -> None:
    mutant = dict(KINDS)[kind]
    faults = {
        number: text
        for number in range(part * PART, (part + 1) * PART)
        if (text := fault(lint(b"import torch  # backward step\n" + mutant(number), guesses=True)))
    }
    assert faults == {}


def test_a_mutant_can_be_made_again_and_most_tree_mutants_are_programs() -> None:
    for _, mutant in KINDS:
        assert mutant(7) == mutant(7) != mutant(8)
    tree = dict(KINDS)["tree"]
    assert sum(lint(b"import torch  # backward step\n" + tree(n)).parsed for n in range(20)) > 12


@pytest.mark.parametrize("seed", range(4))
def test_random_bytes(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(50):
        size = r.randrange(400)
        data = b"import torch  # backward step\n" + r.randbytes(size)
        assert lint(data).result.failures == ()
        printable = bytes(r.choice(b" \n\t()[]{}:;,.=+-*/@'\"\\#abxif09_") for _ in range(size))
        assert lint(b"import torch  # backward step\n" + printable).result.failures == ()
