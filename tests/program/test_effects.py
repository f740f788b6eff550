"""Which branches are worth a path of their own, told from the program's words."""

from __future__ import annotations

import ast
import textwrap

import pytest

from lintgrad.lowering import lower
from lintgrad.program import nodes
from lintgrad.program.effects import Effects
from lintgrad.program.walk import descend


def weighed(text: str) -> tuple[bool, int]:
    """The answer for the first branch of a program."""
    module = lower("a.py", ast.parse(textwrap.dedent(text)))
    branch = next(part for stmt in module.body for part in descend(stmt) if isinstance(part, nodes.If))
    return Effects(module).branch(branch)


@pytest.mark.parametrize(
    ("text", "gain"),
    [
        ("if a:\n    loss.backward()\n", 3),
        ("if a:\n    step(x)\ndef step(x):\n    x.backward()\n", 3),
        ("if a:\n    continue_()\nelse:\n    stop()\n", 0),
        ("def f():\n    if a:\n        return b\n    c()\n", 2),
        ("if a:\n    raise ValueError\n", 0),
        ("if a:\n    x = f(y)\nuse(x)\n", 1),
        ("if a:\n    x.y = f(y)\nuse(z.y)\n", 1),
    ],
)
def test_the_gain_is_what_the_arms_differ_in(text: str, gain: int) -> None:
    assert weighed(text)[1] == gain


@pytest.mark.parametrize(
    ("text", "gain"),
    [
        ("if a:\n    save(x.data)\n", 0),
        ("if a:\n    save(x.data[:25], nrow=5)\n", 0),
        ("if a:\n    save(x.data.clamp_(0, 1))\n", 3),
        ("if a:\n    x.data.clamp_(0, 1)\n", 3),
        ("if a:\n    x.data = y\n", 3),
        ("if a:\n    x = Variable(y.data)\nuse(x)\n", 3),
        ("if a:\n    show(x)\ndef show(x):\n    grid = cat((x.data, x.data))\n    save(grid)\n", 0),
        ("if a:\n    show(x)\ndef show(x):\n    grid = cat((x.data, x.data))\n    return grid\n", 3),
        ("if a:\n    show(x)\ndef show(x):\n    x.data.mul_(2)\n", 3),
        ("if a:\n    show(x)\ndef show(x):\n    x.kept = x.data\n", 3),
        ("if a:\n    show(x)\ndef show(x):\n    global y\n    y = x.data\n", 3),
    ],
)
def test_data_that_is_only_looked_at_is_no_event(text: str, gain: int) -> None:
    assert weighed(text)[1] == gain


def test_what_a_branch_keeps_to_itself_is_not_bound() -> None:
    assert weighed("if a:\n    images = f(y)\n    save(images)\n")[1] == 0
    assert weighed("if a:\n    images = f(y)\n    save(images)\nshow(images)\n")[1] == 1


def test_a_value_on_another_device_is_the_same_value() -> None:
    assert weighed("if cuda:\n    net = net.cuda()\nuse(net)\n")[1] == 0
    assert weighed("if cuda:\n    self.net = self.net.to(device)\nuse(self.net)\n")[1] == 0
    assert weighed("if cuda:\n    net = other.cuda()\nuse(net)\n")[1] == 1
    assert weighed("if cuda:\n    net = nets[0].cuda()\nuse(net)\n")[1] == 1
