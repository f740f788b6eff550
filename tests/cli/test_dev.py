"""`lintgrad dev corpus`: what two versions find in a folder of checkouts."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FAULTY = """\
import torch

x = torch.ones(3, requires_grad=True)
loss = (x * x).sum()
loss.backward()
loss.backward()
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "corpus" / "one").mkdir(parents=True)
    (tmp_path / "corpus" / "one" / "train.py").write_text(FAULTY, encoding="utf-8")
    return tmp_path / "corpus"


@pytest.fixture
def blind(tmp_path: Path) -> Path:
    """A version that lacks the rule."""
    folder = tmp_path / "blind"
    shutil.copytree(ROOT / "lintgrad", folder / "lintgrad", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "rules", folder / "rules")
    check = folder / "lintgrad" / "checks" / "second_backward.py"
    check.write_text("def check(run):\n    return iter(())\n", encoding="utf-8")
    return folder


def dev(*arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "lintgrad", "dev", "corpus", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_findings_are_added_and_gone(corpus: Path, blind: Path) -> None:
    line = "one/train.py:6:1: error[LG101]"
    added, total = dev(str(blind), ".", str(corpus))
    assert added.startswith(f"+ {line}")
    assert total.startswith("1 added, 0 gone, 0 in trouble")
    gone, total = dev(".", str(blind), str(corpus))
    assert gone.startswith(f"- {line}")
    assert total.startswith("0 added, 1 gone, 0 in trouble")


def test_versions_that_agree_say_nothing(corpus: Path) -> None:
    (total,) = dev(".", ".", str(corpus), "--select", "LG101")
    assert total.startswith("0 added, 0 gone, 0 in trouble")
