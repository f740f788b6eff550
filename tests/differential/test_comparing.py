"""The comparison sees each kind of disagreement, and none where both say the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.differential.comparing import compare
from tests.differential.machine_seen import Machine, Said
from tests.differential.torch_seen import Error, Torch

QUIET = Torch(None, frozenset(), frozenset(), (), (), 0, 0, 0)
SECOND = replace(QUIET, error=Error("second", 9, (9,)))


def _said(*findings: Said, paths: int = 1) -> Machine:
    return Machine(frozenset(findings), paths, exhausted=False)


def _raises(code: str, line: int, end: int | None = None) -> Said:
    return Said(code, line, end or line, raises=True)


def _warns(code: str, line: int) -> Said:
    return Said(code, line, line, raises=False)


@pytest.mark.parametrize(
    ("torch", "said"),
    [
        (QUIET, _said()),
        (SECOND, _said(_raises("LG101", 9))),
        (SECOND, _said(Said("LG101", 9, 9, raises=True, possible=True))),
        (QUIET, _said(Said("LG101", 9, 9, raises=True, possible=True))),
        (replace(SECOND, carried=frozenset({9})), _said(_raises("LG105", 9))),
        (replace(SECOND, carried=frozenset({9})), _said(_raises("LG101", 9))),
        (replace(QUIET, error=Error("version", 9, (9,))), _said(_raises("LG110", 7, 9))),
        (replace(QUIET, steps=((5, "good", True), (5, "stale", True))), _said(_warns("LG301", 5))),
        (replace(QUIET, steps=((5, "stale", False),)), _said()),
        (replace(QUIET, steps=((5, "lost", True),)), _said(_warns("LG302", 5))),
        (replace(QUIET, doubled=frozenset({4})), _said(_warns("LG102", 4))),
        (replace(QUIET, error=Error("second", 9, (9,), early=False)), _said(_raises("LG101", 12))),
    ],
)
def test_agreement(torch: Torch, said: Machine) -> None:
    assert compare(torch, said) == []


@pytest.mark.parametrize(
    ("torch", "said", "what"),
    [
        (QUIET, _said(_raises("LG101", 9)), "LG101 and torch does not raise"),
        (SECOND, _said(), "torch raises second"),
        (SECOND, _said(_raises("LG101", 8)), "torch raises second, said: LG101"),
        (SECOND, _said(_raises("LG109", 9)), "torch raises second, said: LG109"),
        (SECOND, _said(_raises("LG105", 9)), "LG105 and nothing is carried"),
        (SECOND, _said(_raises("LG101", 9), _raises("LG111", 3)), "LG111 where torch raises second"),
        (replace(QUIET, steps=((5, "stale", True),)), _said(), "stale step, not said"),
        (replace(QUIET, steps=((5, "good", True),)), _said(_warns("LG301", 5)), "LG301 and no step is stale"),
        (replace(QUIET, steps=((5, "lost", True),)), _said(), "lost at each step, not said"),
        (
            replace(QUIET, steps=((5, "good", True),)),
            _said(_warns("LG307", 5)),
            "LG302/LG307 and a step finds gradients",
        ),
        (QUIET, _said(_warns("LG102", 4)), "LG102 and nothing is doubled"),
        (replace(QUIET, doubled=frozenset({4})), _said(), "doubled, not said"),
        (
            replace(QUIET, walks=((4, True, True),)),
            _said(_warns("LG103", 4)),
            "LG103/LG104 and the graph is needed",
        ),
        (replace(QUIET, least_turns=4), _said(_warns("LG106", 4)), "LG106 and nothing grows"),
    ],
)
def test_disagreement(torch: Torch, said: Machine, what: str) -> None:
    assert [one.what for one in compare(torch, said)] == [what]
