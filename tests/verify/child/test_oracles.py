"""Each oracle confirms its fault in a tiny program, with its figures, and not in that program's twin."""

from __future__ import annotations

from dataclasses import replace
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
OFFSET = HEAD.count("\n")

CODES = {"raises": "LG101"}
"""Where an oracle serves several rules: the one that is tried, unless a try says otherwise."""

TRIES: list[tuple[str, str, int, str, str]] = [
    (
        "raises",
        "h = a * 2\nh.sum().backward()\nh.sum().backward()",
        3,
        "graph a second time; of the nodes it meets, 1 (`mul` of line 4 among them)",
        "h = a + 2\nh.sum().backward()\nh.sum().backward()",
    ),
    (
        "doubled-gradient",
        "s = a.sum()\ns.backward()\ns.backward()",
        3,
        "`.grad` went from 2 to 4",
        "s = a.sum()\ns.backward(retain_graph=True)\ns.backward()",
    ),
    (
        "carried-graph",
        "h = a\nfor _ in range(3):\n    h = h * 2\n    h.sum().backward(retain_graph=True)",
        4,
        "2 of 3 backwards at line 7 ran nodes of earlier turns again: 1 at first, then 2",
        "h = a\nfor _ in range(3):\n    h = h.detach() * a\n    h.sum().backward(retain_graph=True)",
    ),
    (
        "retained-in-loop",
        "for _ in range(3):\n    s = (a * 2).sum()\n    s.backward(retain_graph=True)",
        3,
        "dropping retain_graph=True at line 6 changed no gradient and raised nothing in 3 backwards",
        "s = (a * 2).sum()\nfor _ in range(3):\n    s.backward(retain_graph=True)",
    ),
    (
        "retained-unneeded",
        "keep = True\n(a * 2).sum().backward(retain_graph=keep)",
        2,
        "changed no gradient",
        "s = (a * 2).sum()\ns.backward(retain_graph=True)\ns.backward()",
    ),
    (
        "graph-growth",
        "t = 0\nfor _ in range(5):\n    t = t + (a * 2).sum()",
        3,
        "3 more graph nodes and 8 bytes more saved each turn of the loop at line 5 (15 after 5 turns)",
        "t = 0\nfor _ in range(5):\n    t = t + (a * 2).sum().item()",
    ),
    (
        "stepped-parameter",
        "s = (a * a).sum()\na.grad = torch.ones(4)\nsgd.step()\ns.backward()",
        4,
        "`step` of line 6 wrote to what `mul` of line 4 had saved",
        "s = (a * 2).sum()\na.grad = torch.ones(4)\nsgd.step()\ns.backward()",
    ),
    (
        "overwritten",
        "h = a.exp()\nh.add_(1)\nh.sum().backward()",
        2,
        "`add` of line 5 wrote to what `exp` of line 4 had saved",
        "h = a + 1\nh.add_(1)\nh.sum().backward()",
    ),
    (
        "stale-gradient",
        "for _ in range(2):\n    (a * 2).sum().backward()\n    sgd.step()",
        3,
        "`.grad` is 2.00 times the right one at step 2",
        "for _ in range(2):\n    (a * 2).sum().backward()\n    sgd.step()\n    a.grad = None",
    ),
    (
        "cleared-gradient",
        "(a * 2).sum().backward()\nsgd.zero_grad()\nsgd.step()",
        3,
        "those that the backward of line 4 gave 1 parameter were cleared at line 5",
        "sgd.zero_grad()\n(a * 2).sum().backward()\nsgd.step()",
    ),
    (
        "empty-step",
        "s = (a * 2).sum()\nsgd.step()",
        2,
        "1 step at line 5 found no gradient in any of 1 parameter",
        "s = (a * 2).sum().backward()\nsgd.step()",
    ),
    (
        "created-unneeded",
        "for _ in range(3):\n    (a * a).sum().backward(create_graph=True)",
        2,
        "3 backwards at line 5 made a graph of the gradients, 4 nodes the first time",
        "(a * a).sum().backward(create_graph=True)\na.grad.sum().backward()",
    ),
    (
        "constant-gradient",
        (
            "for _ in range(2):\n    (g,) = torch.autograd.grad((a ** 2).sum(), a)\n    (a - "
            "g).pow(2).sum().backward()"
        ),
        2,
        (
            "without a graph; with `create_graph=True` the gradients of 2 of 2 backwards are others, the "
            "first at line 6"
        ),
        "s = a.exp().sum()\n(g,) = torch.autograd.grad(s, a, create_graph=True)\n(a - g).sum().backward()",
    ),
    (
        "rewrapped",
        (
            "for _ in range(2):\n    s = a.sum().item()\n    t = torch.tensor(s, requires_grad=True)\n    "
            "t.backward()"
        ),
        3,
        "2 backwards at line 7 reached 1 leaf made at line 6 and nothing else",
        "s = a.sum().item()\nt = torch.tensor(s, requires_grad=True)\n(a * t).sum().backward()",
    ),
    (
        "unkept-gradient",
        "h = a * 2\nh.sum().backward()\nprint(h.grad)",
        3,
        "`.grad` was None once at line 6: `mul` of line 4 had made the tensor",
        "h = a * 2\na.sum().backward()\nprint(a.grad)",
    ),
    (
        "rebound-leaf",
        "for _ in range(2):\n    a.sum().backward()\n    a = a - 0.1 * a.grad",
        3,
        "line 6 found its `.grad` None (the line ran twice)",
        "for _ in range(2):\n    a.sum().backward()\n    a.data -= 0.1 * a.grad",
    ),
    (
        "nothing-set",
        "a.require_grad = False\na.sum().backward()",
        1,
        "leaving it out changed none of 1 backward",
        "a.requires_grad = True\na.sum().backward()",
    ),
    (
        "own-gradient",
        "s = (a * 2).sum()\ns.backward(s)",
        2,
        "each gradient of the first is 8 times the right one",
        "s = (a * 2).sum()\ns.backward(torch.tensor(8.1))",
    ),
    (
        "defeated",
        "for _ in range(2):\n    sgd.zero_grad()\n    a.sum().backward()\nsgd.step()",
        2,
        "step 1 applied the gradients of 1 of 2 backwards of line 6: line 5 had cleared those of the others",
        "for _ in range(2):\n    sgd.zero_grad()\n    a.sum().backward()\n    sgd.step()",
    ),
    (
        "forgotten-state",
        "for _ in range(3):\n    o = torch.optim.Adam([a])\n    a.grad = torch.ones(4)\n    o.step()",
        2,
        (
            "3 optimizers that stepped: number 2 began with no state, while the one before had 3 tensors of "
            "it after 1 step"
        ),
        "for _ in range(3):\n    o = torch.optim.SGD([a])\n    a.grad = torch.ones(4)\n    o.step()",
    ),
    (
        "early-schedule",
        "s = torch.optim.lr_scheduler.StepLR(sgd, 1, 0.5)\ns.step()\nsgd.step()",
        2,
        "from the learning rate 0.1 to 0.05 when its optimizer had stepped 0 times; the first step used 0.05",
        "s = torch.optim.lr_scheduler.StepLR(sgd, 1, 0.5); sgd.step()\ns.step()",
    ),
    (
        "useless-clip",
        "a.grad = None\ntorch.nn.utils.clip_grad_norm_([a], 1.0)\na.sum().backward()\nsgd.step()",
        2,
        "1 clip at line 5 found nothing in any of 1 parameter that a step had not used yet; 1 step",
        "a.sum().backward()\ntorch.nn.utils.clip_grad_norm_([a], 1.0)\nsgd.step()",
    ),
    ("no-effect", "h = a * 2\nh.detach()", 2, "`detach` left its tensor as it was", "h = a * 2\nh.detach_()"),
    ("never-called", "sgd.step", 1, "`step` was named and not called", "sgd.step()"),
]
"""Oracle, faulty program, its line, what the evidence holds, and a program that the oracle refutes there."""

ERRORS = [
    ("LG111", "a.add_(1)", 1, "a leaf Variable that requires grad", "a.detach().add_(1)"),
    ("LG201", "s = a.detach().sum()\ns.backward()", 2, "does not require grad", "s = a.sum()\ns.backward()"),
    ("LG203", "s = a * 2\ns.backward()", 2, "only for scalar outputs", "s = a.sum()\ns.backward()"),
]
"""The same for the other rules about errors of torch."""

TERM = """\
w = torch.ones(4, requires_grad=True)
for _ in range(3):
    loss = (a * 2).sum() + (w * a).sum(){}
    loss.backward()
"""

ALL = [(oracle, CODES.get(oracle, "LG000"), *rest) for oracle, *rest in TRIES]
ALL += [("raises", code, *rest) for code, *rest in ERRORS]


@pytest.mark.parametrize(("oracle", "code", "bad", "line", "evidence", "good"), ALL)
def test_oracles_tell_a_fault_from_its_twin(
    oracle: str,
    code: str,
    bad: str,
    line: int,
    evidence: str,
    good: str,
    torch_child: Child,
    asked: type[Asking],
) -> None:
    requests = [asked.at(HEAD + program, code, oracle, [line + OFFSET]) for program in (bad, good)]
    (faulty,), (right,) = (answer.verdicts for answer in torch_child.ask(*requests))

    assert (faulty.verdict, right.verdict) == ("confirmed", "refuted"), (faulty, right)
    assert evidence in faulty.evidence
    assert right.evidence


def test_a_term_without_its_graph_is_confirmed(torch_child: Child, asked: type[Asking]) -> None:
    program = HEAD + TERM.format(".detach()")
    (answer,) = torch_child.ask(asked.at(program, "LG201", "raises", [OFFSET + 3]))

    assert answer.verdicts[0].verdict == "confirmed"
    assert "changes the gradients of 3 of 3 backwards" in answer.verdicts[0].evidence


def test_a_place_that_never_runs_stays_open(torch_child: Child, asked: type[Asking]) -> None:
    program = HEAD + "if a.sum() < 0:\n    sgd.step()\nraise ValueError('no data')"
    (answer,) = torch_child.ask(asked.at(program, "LG301", "stale-gradient", [OFFSET + 2]))
    (verdict,) = answer.verdicts

    assert verdict.verdict == "inconclusive"
    assert "never ran" in verdict.reason
    assert "line 6 with ValueError: no data" in verdict.reason


def test_one_finding_does_not_hide_the_next(torch_child: Child, asked: type[Asking]) -> None:
    program = (
        HEAD + "h = a * 2\nh.sum().backward()\nh.sum().backward()\ng = a.exp() * 2\ng.sum().backward()\n"
    )
    program += "g.sum().backward()"
    (answer,) = torch_child.ask(asked.at(program, "LG101", "raises", [OFFSET + 3, OFFSET + 6]))

    assert [verdict.verdict for verdict in answer.verdicts] == ["confirmed", "confirmed"]


def test_a_run_that_time_ended_shows_no_growth(torch_child: Child, asked: type[Asking]) -> None:
    """The backward that comes for the sum was still to come."""
    program = (
        HEAD + "t = 0\nfor _ in range(5):\n    t = t + (a * 2).sum()\nwhile True:\n    pass\nt.backward()"
    )
    (answer,) = torch_child.ask(asked.at(program, "LG106", "graph-growth", [OFFSET + 3], seconds=2))

    assert answer.verdicts[0].verdict != "confirmed", answer.verdicts


def test_a_fix_is_run_up_to_the_same_turns(torch_child: Child, asked: type[Asking]) -> None:
    loop = (
        "for _ in range(10**6):\n    s = (a * 2).sum()\n    s.backward({})\n    sgd.step()\n    a.grad = None"
    )
    request = asked.at(HEAD + loop.format("retain_graph=True"), "LG103", "retained-in-loop", [OFFSET + 3])
    fixed = replace(request.findings[0], fixed=HEAD + loop.format(""))
    (answer,) = torch_child.ask(replace(request, findings=(fixed,)))

    assert (answer.verdicts[0].verdict, answer.verdicts[0].fix) == ("confirmed", "verified"), answer.verdicts


def test_a_fix_that_brings_an_error_is_not_verified(torch_child: Child, asked: type[Asking]) -> None:
    request = asked.at(HEAD + "h = a * 2\nh.detach()", "LG112", "no-effect", [OFFSET + 2])
    fixed = replace(request.findings[0], fixed=HEAD + "h = a * 2\nh.detached()")
    (answer,) = torch_child.ask(replace(request, findings=(fixed,)))

    assert answer.verdicts[0].fix == "unverified"
    assert "AttributeError" in answer.verdicts[0].fix_reason
