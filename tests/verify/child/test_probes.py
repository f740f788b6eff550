"""Programs that hang, end their process, raise, fork or loop for ever, and repairs that hold or do not."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.verify.conftest import Asking, Child

pytestmark = pytest.mark.torch

HEAD = """\
import torch
a = torch.ones(4, requires_grad=True)
sgd = torch.optim.SGD([a], lr=0.1)
"""

OPEN = {
    "hangs": ("while True:\n    pass", "out of budget"),
    "hangs in C": ("import threading\nthreading.Event().wait()", "out of budget"),
    "ends the process": ("import os\nos._exit(0)", "ended itself without an answer"),
    "exits": ("import sys\nsys.exit(3)", "line 5 with SystemExit"),
    "raises": ("raise KeyError('x')", "line 4 with KeyError"),
    "is killed": ("import os\nos.abort()", "SIGABRT"),
    "is no program": ("def f(:", "cannot be parsed"),
    "catches everything": (
        "while True:\n    try:\n        while True:\n            pass\n    except:\n        pass",
        "out of budget",
    ),
}


@pytest.mark.parametrize("what", OPEN)
def test_what_cannot_be_judged_says_why(what: str, torch_child: Child, asked: type[Asking]) -> None:
    program, reason = OPEN[what]
    begun = time.monotonic()
    request = asked.at(f"{HEAD}{program}\nsgd.step()\n", "LG307", "empty-step", [30], seconds=2)
    (answer,) = torch_child.ask(request)
    (verdict,) = answer.verdicts

    assert verdict.verdict == "inconclusive"
    assert reason in verdict.reason
    assert time.monotonic() - begun < 8


def test_a_fork_that_stays_behind_is_ended(torch_child: Child, asked: type[Asking]) -> None:
    program = (
        f"{HEAD}import os, time\nif os.fork() == 0:\n    while True:\n        pass\n(a * 2).sum().backward()"
    )
    (answer,) = torch_child.ask(asked.at(program, "LG201", "raises", [8], seconds=3))

    assert answer.verdicts[0].verdict in ("refuted", "inconclusive")
    assert not _below(torch_child.process.pid)


def test_endless_training_is_ended_where_it_has_shown_enough(torch_child: Child, asked: type[Asking]) -> None:
    program = f"{HEAD}while True:\n    (a * 2).sum().backward()\n    sgd.step()"
    (answer,) = torch_child.ask(asked.at(program, "LG301", "stale-gradient", [6]))

    assert answer.verdicts[0].verdict == "confirmed"
    assert answer.verdicts[0].seconds < 6


def test_small_counts_are_exact(torch_child: Child, asked: type[Asking]) -> None:
    program = f"{HEAD}n = 0\nfor _ in range(40):\n    n += 1\nassert n == 40\nsgd.step"
    (answer,) = torch_child.ask(asked.at(program, "LG316", "never-called", [8]))

    assert answer.verdicts[0].verdict == "confirmed", answer.verdicts[0].reason


def test_the_user_s_output_is_no_answer(torch_child: Child, asked: type[Asking]) -> None:
    program = f"{HEAD}import os\nprint('x')\nos.write(1, b'noise')\nsgd.step"
    (answer,) = torch_child.ask(asked.at(program, "LG316", "never-called", [7]))

    assert answer.verdicts[0].verdict == "confirmed", answer.verdicts[0].reason


@pytest.mark.parametrize(
    ("fixed", "outcome"),
    [
        ("(a * 2).sum().backward()\nsgd.step()", "verified"),
        ("(a * 2).sum().backward()\nsgd.step", "unverified"),
        ("(b * 2).sum().backward()\nsgd.step()", "unverified"),
    ],
)
def test_fixes(fixed: str, outcome: str, torch_child: Child, asked: type[Asking]) -> None:
    program = f"{HEAD}(a * 2).sum().backward()\nsgd.step"
    request = asked.at(program, "LG316", "never-called", [5])
    finding = replace(request.findings[0], fixed=HEAD + fixed)
    (answer,) = torch_child.ask(replace(request, findings=(finding,)))
    (verdict,) = answer.verdicts

    assert (verdict.verdict, verdict.fix) == ("confirmed", outcome), verdict
    assert verdict.fix_reason


def test_accelerators_and_workers_are_not_needed(torch_child: Child, asked: type[Asking]) -> None:
    program = f"""{HEAD}
from torch.utils.data import DataLoader, TensorDataset
net = torch.nn.Linear(2, 1).cuda().to("cuda:0")
data = TensorDataset(torch.randn(8, 2), torch.randn(8, 1))
for x, y in DataLoader(data, batch_size=2, num_workers=2, pin_memory=True):
    x = x.cuda(non_blocking=True) + torch.zeros(2, device="cuda")
    net(x).sum().backward()
"""
    (answer,) = torch_child.ask(asked.at(program, "LG201", "raises", [10]))

    assert answer.verdicts[0].verdict == "refuted", answer.verdicts[0].reason


def _below(pid: int) -> str:
    """The processes that the process `pid` has, as far as the system tells."""
    listing = Path(f"/proc/{pid}/task/{pid}/children")
    return listing.read_text(encoding="ascii").strip() if listing.exists() else ""


def test_a_program_may_import_its_own_modules(
    torch_child: Child, asked: type[Asking], tmp_path: Path
) -> None:
    """Python would keep them compiled beside them, which the sandbox would refuse."""
    (tmp_path / "nets.py").write_text(
        "import torch\na = torch.ones(4, requires_grad=True)\n", encoding="utf-8"
    )
    program = "from nets import a\ns = (a * a).sum()\ns.backward()\ns.backward()\n"
    request = replace(asked.at(program, "LG101", "raises", [4]), path=str(tmp_path / "train.py"))
    (answer,) = torch_child.ask(request)

    assert answer.verdicts[0].verdict == "confirmed", answer
    assert not [line for line in answer.log if line.startswith("refused")]
    assert [path.name for path in tmp_path.iterdir()] == ["nets.py"]
