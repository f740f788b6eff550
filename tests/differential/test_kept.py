"""fixtures/differential: torch shows what the programs say, and lintgrad says the same, or not yet."""

from __future__ import annotations

import pytest

from tests.differential.comparing import disagreements
from tests.differential.conftest import Kept, kept
from tests.differential.torch_seen import Server, Torch

pytestmark = pytest.mark.torch


def _cases() -> list[object]:
    """All programs; one with a known disagreement fails on the day it agrees."""
    return [
        pytest.param(one, id=one.path.stem, marks=_known(one.reason) if one.reason is not None else ())
        for one in kept()
    ]


def _known(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(reason=reason, strict=True, raises=AssertionError)


@pytest.mark.parametrize("program", kept(), ids=lambda program: program.path.stem)
def test_torch_shows_what_is_said(program: Kept, torch: Server) -> None:
    assert _shown(torch.run(program.text)) == program.shows


@pytest.mark.parametrize("program", _cases())
def test_lintgrad_agrees(program: Kept, torch: Server) -> None:
    assert disagreements(program.text, torch) == []


def _shown(seen: Torch) -> str:
    """The exception, else the bad steps and doubled gradients, in the form of the first line."""
    if seen.error is not None:
        return f"{seen.error.kind} {seen.error.line}"
    bad = sorted({(line, what) for line, what, _ in seen.steps if what in {"stale", "lost", "empty"}})
    found = [f"{what} {line}" for line, what in bad] + [f"doubled {line}" for line in sorted(seen.doubled)]
    return ", ".join(found) or "nothing"
