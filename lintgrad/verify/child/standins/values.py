"""Values that become what their use asks for: a number, a tensor, a batch, a context, a callable."""

from __future__ import annotations

import contextlib
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch

BATCH, WIDTH = 4, 8
"""The shape of a tensor that nothing says more of."""
SMALL = 3
"""What an unknown number is, and how many items an unknown iterable has."""

_SAME = frozenset("to cuda cpu float double half long int contiguous requires_grad_ clone type".split())
_SIZES = {"ndim": 2, "dim": 2}


class Standing:
    """How deep in stand-ins' own code the run is, and how often a branch was guessed."""

    depth = 0
    guessed = 0


@contextlib.contextmanager
def inside() -> Iterator[None]:
    """While this lasts, what is made is a stand-in's doing."""
    Standing.depth += 1
    try:
        yield
    finally:
        Standing.depth -= 1


class Bold:
    """Where every unknown value is to have a graph: what makes one for it."""

    graph: Callable[[], torch.Tensor] | None = None


class Unknown:
    """A value of which only its name is known.

    `graph` is a tensor that it was computed from by a stand-in module; what is made of it has that graph.
    """

    def __init__(self, name: str, graph: torch.Tensor | None = None) -> None:
        self.__dict__["lg_name"] = name
        self.__dict__["lg_graph"] = graph
        self.__dict__["lg_parts"] = {}

    def lg_tensor(self, shape: tuple[int, ...] = (BATCH, WIDTH)) -> torch.Tensor:
        """A tensor of this shape, with the value's graph."""
        with inside():
            graph = self.lg_graph if self.lg_graph is not None or Bold.graph is None else Bold.graph()
            return torch.rand(shape) if graph is None else graph.mean() + torch.rand(shape)

    def lg_part(self, key: object) -> Any:
        """A part: an attribute, an item. The same each time."""
        if key not in self.lg_parts:
            self.lg_parts[key] = Unknown(f"{self.lg_name}.{key}", self.lg_graph)
        return self.lg_parts[key]

    def lg_detach(self) -> Unknown:
        """Let go of the graph, parts included."""
        self.__dict__["lg_graph"] = None
        for part in self.lg_parts.values():
            if isinstance(part, Unknown):
                part.lg_detach()
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if name in _SAME:
            return lambda *_, **__: self
        if name in ("shape", "size"):
            shape = torch.Size((BATCH, WIDTH))
            return shape if name == "shape" else lambda dim=None: shape if dim is None else shape[dim]
        if name in _SIZES:
            return _SIZES[name] if name == "ndim" else lambda: _SIZES["dim"]
        if name == "detach_":
            return self.lg_detach
        if name == "item":
            return lambda: 0.5
        if name == "device":
            return torch.device("cpu")
        if name == "backward":
            return self.lg_tensor(()).backward
        if self.lg_graph is not None and hasattr(torch.Tensor, name):
            return getattr(self.lg_tensor(), name)
        return self.lg_part(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.lg_parts[name] = value

    def __getitem__(self, key: Any) -> Any:
        return self.lg_part(key if isinstance(key, (int, str)) else "item")

    def __setitem__(self, key: Any, value: Any) -> None:
        self.lg_parts[key if isinstance(key, (int, str)) else "item"] = value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Anything at all; handed one function or class, it is taken for a decorator."""
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return args[0]
        return Unknown(f"{self.lg_name}()", _graph_of((args, kwargs)))

    def __iter__(self) -> Iterator[Any]:
        return iter([self.lg_part(number) for number in range(SMALL)])

    def __len__(self) -> int:
        return SMALL

    def __bool__(self) -> bool:
        Standing.guessed += 1
        return True

    def __enter__(self) -> Unknown:  # noqa: PYI034 - Self is of Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        """Let errors pass."""

    def __index__(self) -> int:
        return SMALL

    __int__ = __index__

    def __float__(self) -> float:
        return 0.5

    def __format__(self, _: str) -> str:
        return "0.5"

    def __fspath__(self) -> str:
        return "standin"

    def __contains__(self, _: object) -> bool:
        Standing.guessed += 1
        return True

    def __hash__(self) -> int:
        return hash(self.lg_name)

    def __mro_entries__(self, _: tuple[object, ...]) -> tuple[type, ...]:
        name = self.lg_name.rpartition(".")[2].lower()
        is_module = any(word in name for word in ("module", "model", "net", "layer", "loss"))
        return (torch.nn.Module,) if is_module else (Base,)

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        _: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Become tensors: of the shape of the first real one, which fits most often."""
        if func.__name__ in _SIZED:
            return func(*_numbers(args), **_numbers(kwargs or {}))
        real = next(iter(_tensors((args, kwargs))), None)
        shape = (BATCH, WIDTH) if real is None or func.__name__ in _SHAPELESS else tuple(real.shape)
        return func(*_known(args, shape), **_known(kwargs or {}, shape))


_SIZED = frozenset(
    "empty zeros ones rand randn full arange linspace eye randint randperm view reshape expand repeat "
    "transpose permute unsqueeze squeeze flatten chunk split narrow manual_seed unflatten tile".split()
)
"""Functions of which unknown arguments are sizes."""
_SHAPELESS = frozenset("linear conv1d conv2d embedding".split())


class Base:
    """The base of a class whose own base is unknown."""

    def __init__(self, *_: Any, **kwargs: Any) -> None:
        self.__dict__.update(kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__[name] = value = Unknown(name)
        return value


def _guess(_: Unknown, __: Any) -> bool:
    Standing.guessed += 1
    return True


def _operate(name: str, *, reflected: bool) -> Callable[[Unknown, Any], Any]:
    function = getattr(operator, name)

    def method(self: Unknown, other: Any) -> Any:
        if isinstance(other, torch.Tensor):
            mine: Any = self.lg_tensor(tuple(other.shape))
        elif self.lg_graph is not None:
            mine = self.lg_tensor()
        elif isinstance(other, int):
            mine = SMALL
        elif isinstance(other, float):
            mine = 0.5
        else:
            graph = other.lg_graph if isinstance(other, Unknown) else None
            return Unknown(self.lg_name, graph)
        if isinstance(other, Unknown):
            other = other.lg_tensor()
        return function(other, mine) if reflected else function(mine, other)

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    setattr(Unknown, f"__{_name}__", _operate(_name, reflected=False))
    setattr(Unknown, f"__r{_name}__", _operate(_name, reflected=True))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Unknown, f"__{_name}__", _guess)
setattr(Unknown, "__neg__", lambda self: -self.lg_tensor() if self.lg_graph is not None else self)  # noqa: B010


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


def _graph_of(value: Any) -> torch.Tensor | None:
    """A tensor with a graph among arguments, stand-ins' own included."""
    if isinstance(value, Unknown):
        return value.lg_graph
    if isinstance(value, torch.Tensor):
        return value if value.requires_grad and value.is_floating_point() else None
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return next((graph for part in parts if (graph := _graph_of(part)) is not None), None)


def _known(value: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(value, Unknown):
        return value.lg_tensor(shape)
    if type(value) in (tuple, list):
        return type(value)(_known(item, shape) for item in value)
    if type(value) is dict:
        return {key: _known(item, shape) for key, item in value.items()}
    return value


def _numbers(value: Any) -> Any:
    if isinstance(value, Unknown):
        return value.lg_tensor() if value.lg_graph is not None else SMALL
    if type(value) in (tuple, list):
        return type(value)(_numbers(item) for item in value)
    if type(value) is dict:
        return {key: _numbers(item) for key, item in value.items()}
    return value


def graph_of(value: Any) -> torch.Tensor | None:
    """A tensor with a graph in `value`, or None."""
    return _graph_of(value)
