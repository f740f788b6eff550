"""What a line of a training file costs does not grow with how many there are, in one file or in many."""

from __future__ import annotations

from lintgrad.project.tree import KEPT_BYTES
from lintgrad.project.worker import Worker
from tests.robustness.linting import engine, lint, settings

UNIT = """
def train_{n}(net, opt, loader):
    total = 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            opt.step()
            total += loss.item()
        if epoch % 2 == 0:
            print(epoch, total)
"""
HEAD = "import torch\nfrom torch import nn\n"


def cost(units: int) -> float:
    """Seconds of the processor for each unit of a file of so many, the best of three."""
    text = HEAD + "".join(UNIT.format(n=n) for n in range(units))
    linted = [lint(text) for _ in range(3)]
    assert all(one.result.failures == () for one in linted)
    return min(one.seconds for one in linted) / units


def test_a_line_costs_the_same_in_a_long_file() -> None:
    lint(HEAD + UNIT.format(n=0))
    assert cost(200) < 2 * cost(25)


def test_a_file_that_outgrows_the_budget_costs_no_more_than_that() -> None:
    linted = lint(HEAD + "".join(UNIT.format(n=n) for n in range(2500)))
    assert linted.result.stats.exhausted
    assert linted.result.stats.seconds["explore"] < 10


def test_trees_are_kept_up_to_a_limit() -> None:
    worker = Worker(engine())
    text = (HEAD + "".join(UNIT.format(n=n) for n in range(40)) + "#" * 200_000).encode()
    for number in range(15):
        worker.lint_bytes(f"train_{number}.py", text, settings())
    assert 0 < sum(len(kept.data) for kept in worker.tree._kept.values()) <= KEPT_BYTES
