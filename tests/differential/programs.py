"""Random training programs as text: they parse, define what they use, and their shapes fit."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from tests.differential.drawing import Pen
from tests.differential.expressions import matrix, scalar
from tests.differential.names import Scope
from tests.differential.statements import block
from tests.differential.training import train

HEAD = """\
import torch
from torch import nn
from torch.nn import functional as F

FLAG = True
labels = torch.tensor([0, 1, 2])
batches = [torch.rand(3, 3), torch.rand(3, 3), torch.rand(3, 3), torch.rand(3, 3)]
x = torch.rand(3, 3)
h = torch.zeros(3, 3)
w = torch.rand(3, 3, requires_grad=True)"""
LAYERS = (
    "nn.Linear(3, 3)",
    "nn.Sequential(nn.Linear(3, 3), nn.ReLU())",
    "nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))",
    "nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5), nn.Linear(3, 3))",
    "nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 3))",
    "nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))",
    "nn.LayerNorm(3)",
    "nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.LeakyReLU())",
    "Net()",
    "nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.Softmax(dim=1))",
    "nn.GRUCell(3, 3)",
    "nn.Sequential(nn.Linear(3, 3, bias=False), nn.GELU(), nn.Linear(3, 3, bias=False))",
    "nn.Sequential(nn.Identity(), nn.Linear(3, 3))",
    "nn.Sequential(Net(), Net())",
    "nn.RNNCell(3, 3)",
)
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.outer = nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):"""


@st.composite
def programs(draw: Callable[[st.SearchStrategy[int]], int]) -> str:
    """A program, as Hypothesis likes it."""
    return program(lambda low, high: draw(st.integers(low, high)))


def program(number: Callable[[int, int], int]) -> str:
    """A program; `number` decides all that is open."""
    pen = Pen(number)
    scope = Scope(matrices=["x", "h", "w"], leaves=["w"])
    for line in HEAD.splitlines():
        pen.write(line)
    _net(pen)
    _modules(pen, scope)
    _state(pen, scope)
    if pen.chance(3):
        _helper(pen, scope)
    if pen.chance(4):
        _function(pen, scope)
    if pen.chance(4):
        _class(pen, scope)
    block(pen, scope, 3, 9)
    return "\n".join(pen.lines) + "\n"


def _net(pen: Pen) -> None:
    for line in NET.splitlines():
        pen.write(line)
    pen.indent = 2
    how = (
        "self.outer(self.inner(x))",
        "self.outer(F.relu(self.inner(x))) * self.scale",
        "self.inner(x) + self.scale",
        "self.scale * x",
    )
    pen.write(f"return {pen.pick(how)}")
    pen.indent = 0
    pen.write("")


def _modules(pen: Pen, scope: Scope) -> None:
    count = pen.number(1, 2)
    for number in range(count):
        pen.write(f"m{number} = {pen.pick(LAYERS)}")
        scope.modules.append(f"m{number}")
    if pen.chance(3):
        pen.write("v = torch.rand(3, 3, requires_grad=True)")
        scope.leaves.append("v")
        scope.matrices.append("v")
    held = [
        "m0.parameters()",
        f"[{', '.join(scope.leaves)}]",
        f"m{count - 1}.parameters()",
        "[w, *m0.parameters()]",
    ]
    for number in range(pen.number(1, 2)):
        kind = pen.pick(
            [
                "torch.optim.SGD({}, lr=0.1)",
                "torch.optim.Adam({})",
                "torch.optim.SGD({}, lr=0.1, momentum=0.9)",
            ]
        )
        pen.write(f"opt{number} = {kind.format(pen.pick(held))}")
        scope.optimizers.append(f"opt{number}")


def _state(pen: Pen, scope: Scope) -> None:
    pen.write(f"total = {pen.pick(['0.0', 'torch.zeros(())'])}")
    if pen.lines[-1].endswith(")"):
        scope.scalars.append("total")
    scope.sums.append("total")
    pen.write("kept = [x.mean()]")
    scope.lists.append("kept")


def _helper(pen: Pen, scope: Scope) -> None:
    """A function of matrices."""
    inner = scope.function("a", "b")
    with pen.block("def mix(a, b):"):
        if pen.chance(2):
            pen.write(f"c = {matrix(pen, inner, 1)}")
            inner.matrices.append("c")
        pen.write(f"return {matrix(pen, inner, 1)}")
    if pen.chance(5):
        pen.write("mix = torch.no_grad()(mix)")
    scope.helpers.append("mix")


def _function(pen: Pen, scope: Scope) -> None:
    """A function that trains."""
    inner = scope.function("data")
    with pen.block("def train(data):"):
        train(pen, inner)
        block(pen, inner, 1, 2)
        pen.write(f"return {pen.pick(inner.scalars[::-1])}")
    scope.trainers.append("train")


def _class(pen: Pen, scope: Scope) -> None:
    """A class whose method trains and keeps a state."""
    with pen.block("class Trainer:"):
        with pen.block("def __init__(self):"):
            pen.write("self.h = torch.zeros(3, 3)")
            pen.write("self.total = 0.0")
            pen.write("self.kept = [torch.zeros(())]")
        inner = scope.function("data")
        inner.matrices += ["self.h", "self.h"]
        inner.sums.append("self.total")
        inner.lists.append("self.kept")
        with pen.block("def step(self, data):"):
            block(pen, inner, 1, 3)
            pen.write(f"loss = {scalar(pen, inner)}")
            inner.scalars.append("loss")
            block(pen, inner, 1, 3)
            pen.write("return loss")
    pen.write("trainer = Trainer()")
    scope.trainers.append("trainer.step")
