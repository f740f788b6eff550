"""Stand-ins of known kinds: real modules, optimizers, loaders, losses, made by name and shared by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from lintgrad.verify.child.standins.values import BATCH, SMALL, WIDTH, Unknown, graph_of, inside


class Model(torch.nn.Module):  # type: ignore[misc] # torch's types are not read
    """A module of two layers that takes anything and gives a value with a graph."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(WIDTH, WIDTH)
        self.second = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the layers make of a batch; with the graph of what came in, if it had one."""
        with inside():
            batch = torch.rand(BATCH, WIDTH)
            graph = graph_of((args, kwargs))
            if graph is not None:
                batch = batch + graph.mean()
            return Unknown("output", self.second(torch.tanh(self.first(batch))))

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("__"):
                raise
            module = self if name == "module" else Part(self)
            self.__dict__[name] = module
            return module


class Part:
    """A method or part of a stand-in module: calling it runs the module."""

    def __init__(self, whole: Model) -> None:
        self.whole = whole

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """As the module."""
        return self.whole(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.whole, name)

    def __getitem__(self, _: Any) -> Part:
        return self

    def __iter__(self) -> Iterator[Part]:
        return iter([self] * SMALL)


class Idle:
    """A scheduler: its steps do nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: [0.1]


def loss(*args: Any, **kwargs: Any) -> torch.Tensor:
    """A loss: a number with the graphs of the first two things it is given."""
    graphs = [graph for value in (*args, *kwargs.values()) if (graph := graph_of(value)) is not None]
    if not graphs:
        return torch.rand(())
    return torch.stack([graph.pow(2).mean() for graph in graphs[:2]]).sum()


@dataclass
class Makers:
    """Makes stand-ins by the kinds of names; each name has one."""

    kinds: dict[str, str]
    made: dict[str, Any] = field(default_factory=dict)
    shared: bool = False

    def make(self, name: str) -> Any:
        """The stand-in of a name as the function writes it."""
        if name not in self.made:
            kind = self.kinds.get(name) or self.kinds.get(f"self.{name}") or _by_name(name)
            self.made[name] = (
                self._kinds().get(kind, lambda: Unknown(name))() if kind != "optimizer" else None
            )
            if kind == "optimizer":
                self.made[name] = self._optimizer(name)
        return self.made[name]

    def knows(self, name: str) -> bool:
        """Whether something tells the kind of a name."""
        return bool(self.kinds.get(name) or _by_name(name))

    def _kinds(self) -> dict[str, Callable[[], Any]]:
        return {
            "module": Model,
            "scheduler": Idle,
            "scaler": lambda: torch.amp.GradScaler("cpu"),
            "criterion": lambda: loss,
            "loader": lambda: [Unknown(f"batch{number}") for number in range(2 * SMALL)],
            "tensor": lambda: torch.rand(BATCH, WIDTH),
            "device": lambda: torch.device("cpu"),
            "number": lambda: SMALL,
            "text": lambda: "standin",
        }

    def _optimizer(self, name: str) -> torch.optim.Optimizer:
        """An optimizer for the modules of the same tokens, or all; two with the same ones are doubtful."""
        for other, kind in self.kinds.items():
            if kind == "module":
                self.make(other)
        modules = {n: m for n, m in self.made.items() if isinstance(m, torch.nn.Module)}
        mine = {n: m for n, m in modules.items() if _tokens(n) & _tokens(name)} or modules or {"": Model()}
        self.made.update((n, m) for n, m in mine.items() if n)
        parameters = list({id(p): p for module in mine.values() for p in module.parameters()}.values())
        held = {
            id(p)
            for o in self.made.values()
            if isinstance(o, torch.optim.Optimizer)
            for g in o.param_groups
            for p in g["params"]
        }
        self.shared |= any(id(parameter) in held for parameter in parameters)
        return torch.optim.SGD(parameters, lr=0.01)


_NAMES = (
    ("scheduler", r"sched|warmup"),
    ("optimizer", r"optim|(^|_|\.)opts?($|_|\d)"),
    ("scaler", r"scaler"),
    ("loader", r"loader|dataset|batches"),
    ("criterion", r"criteri|loss_f|_loss$|loss_func"),
    ("device", r"(^|\.)device$"),
    ("module", r"(^|_|\.)(model|net|actor|critic|encoder|decoder)|network|generator|discriminator"),
)


def _by_name(name: str) -> str:
    return next((kind for kind, pattern in _NAMES if re.search(pattern, name, re.IGNORECASE)), "")


def _tokens(name: str) -> set[str]:
    words = re.findall(r"[a-z]+|[A-Z][a-z]*", name.rpartition(".")[2])
    return {word.lower() for word in words} - {"optimizer", "optim", "opt", "net", "model", "self", "module"}
