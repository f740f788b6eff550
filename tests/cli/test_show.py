"""`lintgrad show`: what was assumed, where the machine gave up, and what happened in other files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lintgrad.cli import main

PRELUDE = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(2, 4)
loss = model(x).mean()
"""

Show = Callable[..., str]


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Show:
    monkeypatch.chdir(tmp_path)

    def run(text: str, **others: str) -> str:
        for name, content in {**others, "program": PRELUDE + text}.items():
            (tmp_path / f"{name}.py").write_text(content, encoding="utf-8")
        assert main(["show", "program.py"]) == 0
        return capsys.readouterr().out

    return run


def test_what_happens_in_another_file_has_its_name(show: Show) -> None:
    told = show("import step\nstep.go(loss)\n", step="def go(loss):\n    loss.backward()\n")
    assert "     2    backward of `loss`: 4 nodes, 4 leaves  (step.py)\n" in told


def test_a_condition_that_was_assumed(show: Show) -> None:
    told = show("import sys\nif len(sys.argv) > 1:\n    loss.backward()\n")
    assert "     9    this condition was taken as true\n" in told


def test_code_that_is_not_seen(show: Show) -> None:
    told = show("from elsewhere import descend\ndescend(loss)\nloss.backward()\n")
    assert "     9    `descend` is code that is not seen: it may do anything with this graph\n" in told


def test_a_file_that_cannot_be_read(show: Show) -> None:
    told = show("import broken\nbroken.go(loss)\nloss.backward()\n", broken="def go(:\n")
    assert "broken.py was not read" in told


def test_calls_that_go_too_deep(show: Show) -> None:
    told = show("def again(n):\n    return again(n - 1)\nagain(x)\nloss.backward()\n")
    assert "     9    recursion: not followed further\n" in told


def test_the_budget_of_steps(show: Show) -> None:
    inner = "".join(f"    y = x + {n}\n" for n in range(3000))
    told = show(f"loss.backward()\ndef long(x):\n{inner}long(x)\nlong(x)\n")
    assert "stopped by the budget" in told
    assert "the budget of steps ran out in `long`, called here\n" in told


def test_paths_that_are_left(show: Show) -> None:
    branches = "".join(f"if options.flag{n}:\n    loss.backward(retain_graph=True)\n" for n in range(20))
    told = show(f"import options\n{branches}")
    assert "<module> has more paths: the budget ran out" in told
