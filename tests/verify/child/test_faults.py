"""Each oracle, asked of every line of a tiny program, sees its fault where it is, and nothing in its twins.

A program is written without its head (`HEAD`); lines count from its own first line. The quiet programs differ
from the faulty ones in as little as can be, so that an oracle which answered always or never would fail here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lintgrad.verify.child import oracles

if TYPE_CHECKING:
    from lintgrad.verify.protocol import Verdict
    from tests.verify.conftest import Asking, Child

pytestmark = pytest.mark.torch

HEAD = """\
import torch
a = torch.ones(4, requires_grad=True)
sgd = torch.optim.SGD([a], lr=0.1)
"""
OFFSET = HEAD.count("\n")

SCALER = "s = torch.amp.GradScaler('cpu')\n"

NET = "net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5))\n"
TRAINED = NET + "sgd = torch.optim.SGD(net.parameters(), lr=0.1)\n"
TWO = "c = torch.ones(4, requires_grad=True)\nboth = torch.optim.SGD([a, c], lr=0.1)\n"
DROPPING = (
    "class M(torch.nn.Module):\n    def forward(self, x):\n        return torch.nn.functional.dropout(x, 0.5"
)

FAULTY: dict[str, list[tuple[str, list[int]]]] = {
    "doubled-gradient": [
        ("s = a.sum()\ns.backward()\ns.backward()", [3]),
        ("s = a.sum()\ns.backward()\n(s + 1).backward()", [3]),
    ],
    "carried-graph": [
        ("h = a\nfor _ in range(3):\n    h = h * 2\n    h.sum().backward()", [4]),
        ("h = a\nfor _ in range(3):\n    h = h * 2\n    h.sum().backward(retain_graph=True)", [4]),
        (
            "f = lambda h: (h.sum().backward(), h)[1]\nh = a\nfor _ in range(3):\n    h = f(h * a)",
            [1, 4],
        ),
    ],
    "stale-gradient": [
        ("for _ in range(2):\n    (a * 2).sum().backward()\n    sgd.step()", [3]),
        (
            "(a * 2).sum().backward()\nsgd.step()\na.grad.clamp_(0, 1)\n(a * 2).sum().backward()\nsgd.step()",
            [5],
        ),
        ("def f():\n    s = (a * 2).sum()\n    s.backward()\n    return s\nsgd.step(f)\nsgd.step(f)", [6]),
    ],
    "cleared-gradient": [
        ("(a * 2).sum().backward()\nsgd.zero_grad()\nsgd.step()", [3]),
        ("(a * 2).sum().backward()\na.grad.zero_()\nsgd.step()", [3]),
    ],
    "empty-step": [
        ("s = (a * 2).sum()\nsgd.step()", [2]),
    ],
    "stepped-parameter": [
        ("s = (a * a).sum()\na.grad = torch.ones(4)\nsgd.step()\ns.backward()", [4]),
    ],
    "overwritten": [
        ("h = a.exp()\nh.add_(1)\nh.sum().backward()", [2]),
        ("h = a.exp()\nh[0] = 1\nh.sum().backward()", [2]),
        ("h = a.exp()\nh += 1\nh.sum().backward()", [2]),
        ("h = a.exp()\nb = a + 1\nb.add_(1)\nh.add_(1)\n(h + b).sum().backward()", [4]),
    ],
    "retained-unneeded": [
        ("s = (a * 2).sum()\ns.backward(retain_graph=True)", [2]),
        ("s = a.sum()\ns.backward(retain_graph=True)\na.sum().backward()", [2]),
    ],
    "retained-in-loop": [
        ("for _ in range(2):\n    s = (a * 2).sum()\n    s.backward(retain_graph=True)", [3]),
    ],
    "graph-growth": [
        ("t = 0\nfor _ in range(5):\n    t = t + (a * 2).sum()", [3]),
        ("t = []\nfor _ in range(5):\n    x = a * 2\n    t.append(x)", [3, 4]),
        ("t, u = 0, []\nfor _ in range(5):\n    t = t + (a * 2).sum()\n    u.append(a * 3)", [3, 4]),
    ],
    "no-effect": [
        ("h = a * 2\nh.detach()", [2]),
        ("h = a.detach()\nh.add(1)", [2]),
    ],
    "never-called": [
        ("sgd.step", [1]),
    ],
    "created-unneeded": [
        ("(a * a).sum().backward(create_graph=True)", [1]),
        ("(a * a).sum().backward(create_graph=True)\n(a.grad.detach() * a).sum().backward()", [1]),
    ],
    "constant-gradient": [
        ("(g,) = torch.autograd.grad((a ** 2).sum(), a)\n(a.sum() + (a - g).pow(2).sum()).backward()", [1]),
        (
            "s = a.exp().sum()\ng = torch.autograd.grad(s, a, retain_graph=True)[0]\n(s+g.sum()).backward()",
            [2],
        ),
    ],
    "rewrapped": [
        ("s = a.exp().sum()\nt = torch.tensor(s.item(), requires_grad=True)\nt.backward()", [2]),
        ("s = a.exp().sum().detach()\ns.requires_grad = True\n(s * 2).backward()", [2]),
    ],
    "unkept-gradient": [
        ("h = a * 2\nh.sum().backward()\nh.grad", [3]),
        ("(a.double()).grad", [1]),
    ],
    "rebound-leaf": [
        ("a.sum().backward()\na = a - a.grad\na.sum().backward()\na.grad", [2]),
        ("a.sum().backward()\nwith torch.no_grad():\n    a = a - a.grad\na.sum().backward()", [3]),
    ],
    "nothing-set": [
        ("a.require_grad = False\na.sum().backward()", [1]),
        ("m = torch.nn.Linear(4, 1)\nm.requires_grad = False\nm(a).backward()", [2]),
        ("a.requires_grad == False", [1]),
    ],
    "own-gradient": [
        ("s = (a * 2).sum()\ns.backward(s)", [2]),
        ("s = a.sum()\ns.backward(gradient=s)", [2]),
    ],
    "defeated": [
        ("for _ in range(2):\n    sgd.zero_grad()\n    (a * 2).sum().backward()\nsgd.step()", [2]),
        (
            "for _ in range(2):\n    sgd.zero_grad(set_to_none=False)\n    a.sum().backward()\nsgd.step()",
            [2],
        ),
    ],
    "forgotten-state": [
        ("for _ in range(2):\n    o = torch.optim.Adam([a])\n    a.grad = torch.ones(4)\n    o.step()", [2]),
    ],
    "early-schedule": [
        ("s = torch.optim.lr_scheduler.StepLR(sgd, 1)\ns.step()\nsgd.step()", [2]),
    ],
    "useless-clip": [
        ("torch.nn.utils.clip_grad_norm_([a], 1.0)\na.sum().backward()\nsgd.step()", [1]),
        ("a.sum().backward()\nsgd.step()\ntorch.nn.utils.clip_grad_value_(a, 1.0)", [3]),
    ],
    "left-out": [
        (
            "b = torch.nn.Parameter(a * 2)\no = torch.optim.SGD([a])\n(a * b).sum().backward()\no.step()",
            [2],
        ),
    ],
    "stale-parameters": [
        ("o = torch.optim.SGD([a.data])\nm = torch.nn.Linear(4, 1)\nm(a).sum().backward()\no.step()", [2]),
    ],
    "unreached": [
        (
            "for _ in range(3):\n    b = a.detach().requires_grad_()\n    b.sum().backward()\n    sgd.step()",
            [1, 2, 3, 4],
        ),
    ],
    "dropped-term": [
        (
            "for _ in range(3):\n    p = (a * a).sum()\n    s = a.sum()\n    s.backward()\n    sgd.step()",
            [2],
        ),
    ],
    "scaled-clip": [
        (
            SCALER
            + "s.scale((a * 2).sum()).backward()\ntorch.nn.utils.clip_grad_norm_([a], 1.0)\ns.step(sgd)",
            [3],
        ),
    ],
    "scaler-bypassed": [
        (SCALER + "s.scale((a * 2).sum()).backward()\nsgd.step()", [3]),
        (SCALER + "s.scale((a * 2).sum())\n(a * 2).sum().backward()\ns.step(sgd)", [3]),
    ],
    "scaler-protocol": [
        (SCALER + "for _ in range(2):\n    s.scale((a * 2).sum()).backward()\n    s.step(sgd)", [4]),
        (SCALER + "s.scale((a * 2).sum()).backward()\ns.update()", [3]),
    ],
    "mixed-backward": [
        ("with torch.autocast('cpu'):\n    b = (a * 2).sum()\n    b.backward()", [3]),
    ],
    "unwalked-graph": [
        (NET + "net.eval()\nout = net(a)", [3]),
    ],
    "evaluated-in-train": [
        (NET + "with torch.no_grad():\n    net(a)", [3]),
    ],
    "unrecorded": [
        ("with torch.no_grad():\n    b = (a * 2).sum()\nb.backward()", [1]),
        (TWO + "with torch.no_grad():\n    h = c * 2\n(h * a).sum().backward()\nboth.step()", [3]),
    ],
    "stuck-in-eval": [
        (TRAINED + "for _ in range(2):\n    net(a).sum().backward()\n    sgd.step()\n    net.eval()", [6]),
    ],
    "deaf-dropout": [
        (DROPPING + ")\nM().eval()(a)", [3, 4]),
    ],
    "raises": [
        ("h = a * 2\nh.sum().backward()\nh.sum().backward()", [3]),
    ],
}
"""By oracle: programs with its fault, and the lines at which it must see it.

Where two ends belong together, what is made and what keeps it, the call and what is called, it
is seen at both.
"""

QUIET: dict[str, list[str]] = {
    "doubled-gradient": [
        "s = a.sum()\ns.backward(retain_graph=True)\ns.backward()",
        "s = a + 1\ns.sum().backward()\ns.mean().backward()",
        "s = a.sum()\ntorch.autograd.grad(s, a)\ns.backward()",
    ],
    "carried-graph": [
        "h = a * 2\nfor _ in range(3):\n    h.sum().backward(retain_graph=True)",
        "h = a\nfor _ in range(3):\n    h = h * 2\nh.sum().backward(retain_graph=True)",
        "f = lambda h: (h.sum().backward(), h)[1]\nh = a\nfor _ in range(3):\n    h = f(h.detach() * a)",
    ],
    "stale-gradient": [
        "for _ in range(2):\n    (a * 2).sum().backward()\n    sgd.step()\n    a.grad = None",
        "(a * 2).sum().backward()\nsgd.step()\na.grad = torch.ones(4)\nsgd.step()",
        "def f():\n    a.grad = None\n    (a * 2).sum().backward()\n    return 0\nsgd.step(f)\nsgd.step(f)",
    ],
    "cleared-gradient": [
        "(a * 2).sum().backward()\nsgd.step()\nsgd.zero_grad()",
        "(a * 2).sum().backward()\na.grad.zero_()\n(a * 2).sum().backward()\nsgd.step()",
    ],
    "empty-step": [
        "s = (a * 2).sum()\ns.backward()\nsgd.step()",
        "a.grad = torch.ones(4)\nsgd.step()",
    ],
    "stepped-parameter": [
        "s = (a * 2).sum()\na.grad = torch.ones(4)\nsgd.step()\ns.backward()",
        "h = a * 2\ns = (h * h).sum()\nh.add_(1)\ns.backward()",
    ],
    "overwritten": [
        "h = a + 1\nh.add_(1)\nh.sum().backward()",
        "s = (a * a).sum()\na.grad = torch.ones(4)\nsgd.step()\ns.backward()",
        "h = a.exp()\nh = h + 1\nh.sum().backward()",
    ],
    "retained-unneeded": [
        "s = (a * 2).sum()\ns.backward(retain_graph=True)\ns.backward()",
        "s = a.sum()\ns.backward(retain_graph=True)\ns.backward()",
    ],
    "retained-in-loop": [
        "s = (a * 2).sum()\nfor _ in range(2):\n    s.backward(retain_graph=True)",
        "s = (a * 2).sum()\ns.backward(retain_graph=True)",
    ],
    "graph-growth": [
        "t = 0\nfor _ in range(5):\n    t = t + (a * 2).sum()\nt.backward()",
        "t = []\nfor _ in range(5):\n    x = a * 2\n    t = [x]",
    ],
    "no-effect": [
        "h = a * 2\nh.detach_()",
        "h = a.detach()\nh.add_(1)",
    ],
    "never-called": [
        "step = sgd.step",
    ],
    "created-unneeded": [
        "(a * a).sum().backward(create_graph=True)\na.grad.sum().backward()",
        "(a * a).sum().backward(retain_graph=True)",
    ],
    "constant-gradient": [
        "s = (a ** 2).sum()\n(g,) = torch.autograd.grad(s, a, create_graph=True)\n(s + g.norm()).backward()",
        "s = (a ** 2).sum()\n(g,) = torch.autograd.grad(s, a, retain_graph=True)\n(s / g.norm()).backward()",
        "(g,) = torch.autograd.grad((a ** 2).sum(), a)\n(a - g.detach()).pow(2).sum().backward()",
    ],
    "rewrapped": [
        "s = a.exp().sum()\nt = torch.tensor(s.item(), requires_grad=True)\n(s + t).backward()",
        "s = a.exp().sum()\nt = torch.tensor(s.item(), requires_grad=True)\nt.backward()\nprint(t.grad)",
        "t = torch.tensor(0.25, requires_grad=True)\nt.backward()",
        "s = a.sum().item()\na.requires_grad_(False)\na.requires_grad_(True)\n(a * s).sum().backward()",
    ],
    "unkept-gradient": [
        "h = a * 2\nh.retain_grad()\nh.sum().backward()\nh.grad",
        "(a.float()).grad",
    ],
    "rebound-leaf": [
        "a.sum().backward()\nb = a - a.grad\na.sum().backward()\na.grad",
        "a.sum().backward()\nwith torch.no_grad():\n    a -= a.grad\na.sum().backward()\na.grad",
    ],
    "nothing-set": [
        "a.requires_grad = False\n(a + torch.ones(4, requires_grad=True)).sum().backward()",
        "m = torch.nn.Linear(4, 1)\nm.requires_grad_(False)\nm(a).backward()",
        "assert a.requires_grad == True",
        "a.require_grad = False\nif not a.require_grad:\n    print(1)",
    ],
    "own-gradient": [
        "s = (a * 2).sum()\ns.backward(torch.tensor(2.0))",
        "s = a.mean()\ns.backward(torch.ones_like(s))",
    ],
    "defeated": [
        "for _ in range(2):\n    sgd.zero_grad()\n    (a * 2).sum().backward()\n    sgd.step()",
        "(a * 2).sum().backward()\nsgd.zero_grad()\n(a * 2).sum().backward()\nsgd.step()",
    ],
    "forgotten-state": [
        "for _ in range(2):\n    o = torch.optim.SGD([a])\n    a.grad = torch.ones(4)\n    o.step()",
        "for _ in range(2):\n    b = a.detach()\n    o = torch.optim.Adam([b])\n    b.grad = b\n    o.step()",
        "f = lambda: torch.optim.Adam([a])\na.grad = torch.ones(4)\nf().step()\nf().step()",
    ],
    "early-schedule": [
        "s = torch.optim.lr_scheduler.StepLR(sgd, 1)\nsgd.step()\ns.step()",
    ],
    "useless-clip": [
        "a.sum().backward()\ntorch.nn.utils.clip_grad_norm_([a], 1.0)\nsgd.step()",
        "for _ in range(2):\n    torch.nn.utils.clip_grad_norm_([a], 1.0)\n    a.sum().backward()",
    ],
    "left-out": [
        "b = a.detach() * 2\no = torch.optim.SGD([a])\n(a * b).sum().backward()\no.step()",
    ],
    "stale-parameters": [
        "m = torch.nn.Linear(4, 1)\no = torch.optim.SGD(m.parameters())\nm(a).sum().backward()\no.step()",
    ],
    "unreached": [
        "for _ in range(3):\n    a.grad = None\n    a.sum().backward()\n    sgd.step()",
    ],
    "dropped-term": [
        "for _ in range(3):\n    p = (a * a).sum()\n    s = a.sum() + p\n    s.backward()\n    sgd.step()",
    ],
    "scaled-clip": [
        SCALER
        + "s.scale((a * 2).sum()).backward()\ns.unscale_(sgd)\n"
        + "torch.nn.utils.clip_grad_norm_([a], 1.0)\ns.step(sgd)",
    ],
    "scaler-bypassed": [
        SCALER + "s.scale((a * 2).sum()).backward()\ns.unscale_(sgd)\nsgd.step()",
        SCALER + "s.scale((a * 2).sum()).backward()\ns.step(sgd)",
    ],
    "scaler-protocol": [
        SCALER + "for _ in range(2):\n    s.scale((a * 2).sum()).backward()\n    s.step(sgd)\n    s.update()",
    ],
    "mixed-backward": [
        "with torch.autocast('cpu'):\n    b = (a * 2).sum()\nb.backward()",
    ],
    "unwalked-graph": [
        NET + "net.eval()\nnet(a).sum().backward()",
        NET + "net.eval()\nwith torch.no_grad():\n    net(a)",
        NET + "out = net(a)",
    ],
    "evaluated-in-train": [
        NET + "net.eval()\nwith torch.no_grad():\n    net(a)",
        NET + "net(a)",
        "net = torch.nn.Linear(4, 4)\nwith torch.no_grad():\n    net(a)",
    ],
    "unrecorded": [
        TWO + "with torch.no_grad():\n    h = c * 2\n(h * a).sum().backward()\nsgd.step()",
        TWO + "with torch.no_grad():\n    c * 2\n(c * a).sum().backward()\nboth.step()",
    ],
    "stuck-in-eval": [
        TRAINED
        + "for _ in range(2):\n    net(a).sum().backward()\n    sgd.step()\n    net.eval()\n    net.train()",
        TRAINED + "net.eval()\nfor _ in range(2):\n    net(a).sum().backward()\n    sgd.step()",
        TRAINED + "net(a).sum().backward()\nsgd.step()\nnet.eval()\nnet(a).sum().backward()",
    ],
    "deaf-dropout": [
        DROPPING + ", training=self.training)\nM().eval()(a)",
        DROPPING + ", training=True)\nM().eval()(a)",
        DROPPING + ")\nM()(a)",
    ],
    "raises": [
        "h = a + 2\nh.sum().backward()\nh.sum().backward()",
    ],
}
"""By oracle: programs in which it must see nothing, each close to one of the faulty ones."""

TRIES = [(oracle, *tried) for oracle, tries in FAULTY.items() for tried in tries]
TRIES += [(oracle, tried, []) for oracle, tries in QUIET.items() for tried in tries]


def ask(oracle: str, program: str, child: Child, asked: type[Asking]) -> dict[int, Verdict]:
    """The verdicts by the program's own lines."""
    lines = list(range(1, program.count("\n") + 2))
    code = "LG101" if oracle == "raises" else "LG000"
    (answer,) = child.ask(
        asked.at(HEAD + program, code, oracle, [line + OFFSET for line in lines], seconds=30)
    )
    return dict(zip(lines, answer.verdicts, strict=True))


@pytest.mark.parametrize(("oracle", "program", "lines"), TRIES)
def test_oracles_see_the_fault_where_it_is(
    oracle: str, program: str, lines: list[int], torch_child: Child, asked: type[Asking]
) -> None:
    verdicts = ask(oracle, program, torch_child, asked)

    assert [line for line, said in verdicts.items() if said.verdict == "confirmed"] == lines, verdicts


def test_each_oracle_is_tried() -> None:
    assert set(FAULTY) == set(QUIET) == set(oracles.ORACLES)
