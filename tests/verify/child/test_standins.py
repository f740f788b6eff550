"""Functions that cannot run by themselves: what they need is stood in for; what that hides stays open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lintgrad.verify import protocol

if TYPE_CHECKING:
    from tests.verify.conftest import Asking, Child

pytestmark = pytest.mark.torch

TRAINER = """\
import torch
from nowhere import Net, load_batches


class Trainer:
    def __init__(self, cfg):
        self.model = Net(cfg.width)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)

    def fit(self, loader, criterion):
        for i, (images, labels) in enumerate(loader):
            {clear}
            loss = criterion(self.model(images), labels)
            loss.backward()
            self.optimizer.step()
"""
KINDS = {"loader": "loader", "criterion": "criterion", "self.model": "module", "self.optimizer": "optimizer"}
FIT = protocol.Entry("Trainer.fit", 10, KINDS)


def ask(child: Child, request: protocol.Request, entry: protocol.Entry) -> protocol.Verdict:
    (answer,) = child.ask(replace(request, mode="function", entries=(entry,)))
    return answer.verdicts[0]


def test_a_method_is_confirmed_on_stand_ins(torch_child: Child, asked: type[Asking]) -> None:
    request = asked.at(TRAINER.format(clear="pass"), "LG301", "stale-gradient", [15])
    verdict = ask(torch_child, request, FIT)

    assert (verdict.verdict, verdict.how) == ("confirmed", "function"), verdict
    assert "times the right one at step 2" in verdict.evidence


def test_a_method_is_refuted_on_stand_ins(torch_child: Child, asked: type[Asking]) -> None:
    request = asked.at(TRAINER.format(clear="self.optimizer.zero_grad()"), "LG301", "stale-gradient", [15])
    verdict = ask(torch_child, request, FIT)

    assert (verdict.verdict, verdict.how) == ("refuted", "function"), verdict


def test_a_guessed_branch_refutes_nothing(torch_child: Child, asked: type[Asking]) -> None:
    program = TRAINER.format(clear="labels.any() and self.optimizer.zero_grad()")
    verdict = ask(torch_child, asked.at(program, "LG301", "stale-gradient", [15]), FIT)

    assert verdict.verdict == "inconclusive", verdict
    assert "guessed" in verdict.reason


def test_a_loss_without_graph_may_be_the_stand_in_s(torch_child: Child, asked: type[Asking]) -> None:
    program = "from nowhere import score\n\ndef fit(x):\n    loss = score(x)\n    loss.backward()\n"
    request = asked.at(program, "LG201", "raises", [5])
    verdict = ask(torch_child, request, protocol.Entry("fit", 3, {}))

    assert verdict.verdict == "inconclusive", verdict
    assert "stand" in verdict.reason


def test_what_fails_is_skipped_and_said(torch_child: Child, asked: type[Asking]) -> None:
    program = TRAINER.format(clear="self.optimizer.zero_grad(); int('x')")
    verdict = ask(torch_child, asked.at(program, "LG301", "stale-gradient", [15]), FIT)

    assert verdict.verdict == "inconclusive", verdict
    assert "line 12: ValueError: invalid literal" in verdict.reason


def test_the_file_is_tried_first(torch_child: Child, asked: type[Asking]) -> None:
    program = TRAINER.replace(
        "from nowhere import Net, load_batches", "Net = lambda width: torch.nn.Linear(2, 1)"
    )
    program = program.format(clear="pass") + (
        "\n\nclass Cfg:\n    width, lr = 2, 0.1\n\n"
        "data = [(torch.randn(3, 2), torch.randn(3, 1)) for _ in range(3)]\n"
        "Trainer(Cfg).fit(data, torch.nn.functional.mse_loss)\n"
    )
    request = asked.at(program, "LG301", "stale-gradient", [15])
    (answer,) = torch_child.ask(replace(request, mode="auto", entries=(FIT,)))

    assert (answer.verdicts[0].verdict, answer.verdicts[0].how) == ("confirmed", "file"), answer.verdicts


LOOP = """\
import torch
from nowhere import Net


class Trainer:
    def fit(self, loader, criterion):
        for i, (images, labels) in enumerate(loader):
            {}
"""
BEGIN = "self.optimizer.zero_grad()\nloss = criterion(self.model(images), labels)\n"
STEP = "loss.backward()\nself.optimizer.step()"
CLIP = "torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)\n"
ADAM = "adam = torch.optim.Adam(self.model.parameters())\n"

FOUND = [
    ("LG107", "created-unneeded", BEGIN + STEP.replace("()", "(create_graph=True)", 1), 10),
    ("LG202", "rewrapped", f"{BEGIN}loss = torch.tensor(loss.item(), requires_grad=True)\n{STEP}", 10),
    ("LG210", "own-gradient", BEGIN + STEP.replace("()", "(loss)", 1), 10),
    ("LG303", "defeated", BEGIN + STEP.replace("\n", "\nif i % 2 == 1: "), 8),
    ("LG308", "forgotten-state", ADAM + BEGIN + STEP.replace("self.optimizer", "adam"), 8),
    ("LG314", "useless-clip", BEGIN + CLIP + STEP, 10),
]
CLEARED = [
    ("LG210", "own-gradient", BEGIN + STEP, 10),
    ("LG303", "defeated", BEGIN + STEP, 8),
    ("LG314", "useless-clip", BEGIN + STEP.replace("\n", f"\n{CLIP}"), 11),
]
OPEN = [
    (
        "LG202",
        "rewrapped",
        f"{BEGIN}loss = torch.tensor(loss.item(), requires_grad=True); int('x')\n{STEP}",
        10,
    ),
    ("LG308", "forgotten-state", f"if i == 0:\n    {ADAM}{BEGIN}{STEP}", 9),
]
TRIES = [(*tried, "confirmed") for tried in FOUND]
TRIES += [(*tried, "refuted") for tried in CLEARED]
TRIES += [(*tried, "inconclusive") for tried in OPEN]


@pytest.mark.parametrize(("code", "oracle", "body", "line", "verdict"), TRIES)
def test_what_calls_come_in_which_order_shows_on_stand_ins(
    code: str, oracle: str, body: str, line: int, verdict: str, torch_child: Child, asked: type[Asking]
) -> None:
    program = LOOP.format(body.replace("\n", "\n" + 12 * " "))
    said = ask(torch_child, asked.at(program, code, oracle, [line]), protocol.Entry("Trainer.fit", 6, KINDS))

    assert said.verdict == verdict, said
