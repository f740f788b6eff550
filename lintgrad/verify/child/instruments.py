"""All instruments of one run, put in place together; nothing that the program computes changes.

torch's own hooks are used where there are any: a `TorchFunctionMode` sees each call that may make nodes,
write in place, or leave the graph; global hooks see optimizers' steps. One name is wrapped, torch's door to
its engine, through which each backward goes.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode

from lintgrad.verify.child.changes import Changes
from lintgrad.verify.child.devices import on_cpu
from lintgrad.verify.child.frames import Lines, Program, user_lines
from lintgrad.verify.child.gradients import Gradients, closure, held
from lintgrad.verify.child.loops import Loops
from lintgrad.verify.child.nodes import Nodes
from lintgrad.verify.child.record import Cut, Drop, Growth, Problem, Sight, Walk
from lintgrad.verify.child.tensors import digest, is_leaf, leaves, norm, root, start, tensors, version
from lintgrad.verify.child.watchers import watchers
from lintgrad.verify.child.watchers.watcher import Call, Watcher

_GRAD_GETTER = torch.Tensor.grad.__get__
_GRAD_SETTER = torch.Tensor.grad.__set__
_CUTS = {"detach": "detach", "detach_": "detach", "item": "item", "numpy": "numpy", "tolist": "tolist"}
_CUTS |= {"__float__": "float", "__int__": "int"}
_DATA_GETTER = torch.Tensor.data.__get__
_unwatched = torch._C.DisableTorchFunction  # noqa: SLF001 - its only name
"""What the instruments themselves ask of torch is none of the program's doing."""


Old = tuple[int, Lines, list[tuple[int, int, int]]]
"""Of a node: its serial, the lines that made it, and what it keeps."""


@dataclass
class Instruments:
    """What is watched in one run."""

    loops: Loops
    nodes: Nodes
    gradients: Gradients
    cuts: list[Cut] = field(default_factory=list)
    drops: dict[tuple[int, str], Drop] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    stepping: bool = False
    repair: Callable[..., Any] | None = None
    repairs: int = 0
    pending: list[tuple[int, str, object, tuple[object, ...]]] = field(default_factory=list)
    change: Changes = field(default_factory=Changes)
    seen: dict[tuple[int, int], list[tuple[int, list[Old]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.watchers = watchers(self.loops, self.gradients)
        self.listeners = [w.called for w in self.watchers if type(w).called is not Watcher.called]

    def engine(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """`run`, the one door to torch's engine, watched."""

        def watched(roots: Any, gradients: Any, keeps: bool, *args: Any, **kwargs: Any) -> Any:
            fills = bool(kwargs.get("accumulate_grad"))
            creates = bool(args and args[0])
            if args and not creates and self.change.releases(user_lines()):
                keeps = False
            if args and not fills and self.change.creates(user_lines()):
                keeps = creates = True
                args = (True, *args[1:])
            with _unwatched():
                reached = _reached(roots, args) if fills else []
                walk = self.nodes.begin(list(roots), keeps=bool(keeps), fills=fills)
                self.gradients.before_backward(reached)
                before = norm(leaf.grad for leaf in reached)
                self._tell(walk.walk, list(roots), gradients, reached)
            try:
                result = run(roots, gradients, keeps, *args, **kwargs)
            except RuntimeError as error:
                walk.failed(error)
                for watcher in self.watchers:
                    watcher.failed(walk.walk, list(roots))
                raise
            finally:
                walk.close()
            with _unwatched():
                walk.done()
                walk.walk.leaves = len(reached)
                walk.walk.norms = (before, norm(leaf.grad for leaf in reached))
                walk.walk.digest = digest([leaf.grad for leaf in reached] if fills else tensors(result))
                if fills:
                    self.gradients.after_backward(reached, walk.walk.number, walk.walk.lines)
                if fills and creates:
                    walk.created(reached)
                for watcher in self.watchers:
                    watcher.gave(walk.walk, result)
            return result

        return watched

    def _tell(self, walk: Walk, roots: list[Any], gradients: Any, reached: list[torch.Tensor]) -> None:
        for watcher in self.watchers:
            watcher.begins(walk, roots, gradients)
            if walk.fills:
                watcher.reaches(walk, reached)

    def called(self, func: Any, given: list[torch.Tensor], kwargs: Any, result: Any) -> None:
        """Tell the watchers of a call into torch."""
        call = Call(func, func.__name__, given, kwargs, result, list(tensors(result)))
        for tell in self.listeners:
            tell(call)

    def compared(self, value: Any, name: str) -> Any:
        """A statement that compares an attribute of `value` and does nothing with what comes out."""
        for watcher in self.watchers:
            watcher.compared(value, name)
        return value

    def sights(self) -> list[Sight]:
        """All that the watchers saw."""
        return [*self.gradients.sights, *(sight for watcher in self.watchers for sight in watcher.sights())]

    def head(self, loop: int) -> None:
        """At the head of a loop's turn: which nodes of its earlier turns are alive, what they keep."""
        heads = self.seen.setdefault((loop, self.loops.now[loop][0]), [])
        old = self._old(loop)
        if old and (not heads or len(old) > len(heads[-1][1])):
            gc.collect()  # what only waits for the collector is not kept
            old = self._old(loop)
        heads.append((len(self.nodes.walks), old))

    def _old(self, loop: int) -> list[Old]:
        """Each node alive that an earlier turn of the loop's entry made."""
        entry, turn = self.loops.now[loop]
        if (loop, entry) not in self.nodes.made_in:
            return []
        stamped = [(token, token.stamp[loop]) for token in self.nodes.alive if loop in token.stamp]
        return [
            (token.serial, token.lines, token.saved if token.freed is None else [])
            for token, stamp in stamped
            if stamp[0] == entry and stamp[1] < turn
        ]

    def growth(self, *, whole: bool) -> list[Growth]:
        """Of each loop, the entry that left most alive; nodes that a later backward runs do not count.

        In a run that was not `whole`, a backward may have been still to come for what the last turns made:
        in loops that it did not leave, and in those that no backward followed, only what a backward has
        freed counts.
        """
        last = max((walk.number for walk in self.nodes.walks if walk.fills and not walk.error), default=-1)
        most: dict[int, Growth] = {}
        for (loop, entry), heads in self.seen.items():
            is_left = loop not in self.loops.inside or self.loops.now[loop][0] != entry
            is_over = whole or (is_left and heads[-1][0] <= last)
            ran = self.nodes.last_run
            kept = [
                [one for one in old if ran.get(one[0], -1) < now and (is_over or one[0] in self.nodes.freed)]
                for now, old in heads
            ]
            lines = sorted({line for _, stack, _ in (kept[-1] if kept else []) for line in stack})
            body, nodes = self.loops.bodies[loop], [len(old) for old in kept]
            grown = Growth(loop, self.loops.firsts[loop], body.stop - 1, nodes, list(map(_size, kept)), lines)
            other = most.setdefault(loop, grown)
            if (grown.rise, len(nodes)) > (other.rise, len(other.nodes)):
                most[loop] = grown
        return list(most.values())

    def repaired(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], problem: Exception
    ) -> Any:
        """What a run on stand-ins makes of a call that failed; NotImplemented where that is nothing."""
        result = NotImplemented if self.repair is None else self.repair(func, args, kwargs, problem)
        self.repairs += result is not NotImplemented
        return result

    def receiver(self, value: Any, method: str) -> Any:
        """The receiver of a method call whose result is dropped."""
        lines = user_lines()
        kind = "tensor" if isinstance(value, torch.Tensor) else "other"
        if kind == "other" and isinstance(value, types.ModuleType):
            kind = "function"
        self._drop(lines, kind, method)
        if kind != "other":
            self.pending.append((lines[0] if lines else 0, method, value, _state(value)))
        return value

    def settle(self, result: Any) -> Any:
        """After the call that `receiver` announced: whether it gave anything, and changed the receiver."""
        lines = user_lines()
        while self.pending:
            line, method, value, state = self.pending.pop()
            if line in lines[:1]:
                drop = self.drops[line, method]
                drop.changed |= result is None or _state(value) != state
                if drop.kind == "function" and not isinstance(result, torch.Tensor):
                    drop.kind = "other"
                break
        return result

    def named(self, value: Any) -> Any:
        """A statement that only names an attribute."""
        if callable(value):
            self._drop(user_lines(), "named", getattr(value, "__name__", "method"))
        return value

    def _drop(self, lines: Lines, kind: str, method: str) -> None:
        line = lines[0] if lines else 0
        drop = self.drops.setdefault((line, method), Drop(line, kind, False, method))
        if kind != drop.kind:
            drop.kind = "other"

    def cut(self, op: str, tensor: torch.Tensor) -> bool:
        """A value is taken out of the graph; whether the run's changes want it left in."""
        node = root(tensor)
        if node is None or is_leaf(node):
            return False
        self.nodes.reach(node)
        lines = user_lines()
        self.cuts.append(Cut(lines, op, node.metadata["lintgrad"].serial))
        return self.change.keeps(lines)

    def found_cuts(self) -> list[Cut]:
        """The cuts; `used` where a backward has run what was cut off."""
        for cut in self.cuts:
            cut.used = cut.serial in self.nodes.last_run
        return self.cuts


class Mode(TorchFunctionMode):  # type: ignore[misc] # torch's types are not read
    """Tells the instruments of each call into torch."""

    def __init__(self, watch: Instruments) -> None:
        super().__init__()
        self.watch = watch

    def __torch_function__(
        self,
        func: Callable[..., Any],
        _: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Make the call, then look for new nodes under its result and arguments, and for writes."""
        watch = self.watch
        if watch.stepping or (func.__name__ == "__get__" and func != _DATA_GETTER):
            return self._got(func, args, kwargs or {}, sys._getframe(1))  # noqa: SLF001 - see frames
        args, kwargs = on_cpu(args), on_cpu(kwargs or {})
        name = func.__name__
        if func == _GRAD_SETTER:
            watch.gradients.assigned(args[0], args[1])
        given = list(tensors((args, kwargs)))
        if name in _CUTS or func == _DATA_GETTER:
            if watch.cut(_CUTS.get(name, "data"), given[0]):
                return given[0]
        before = [version(tensor) for tensor in given]
        try:
            result = func(*args, **kwargs)
        except Exception as problem:
            result = watch.repaired(func, args, kwargs, problem)
            if result is NotImplemented:
                watch.problems.append(Problem(user_lines(), type(problem).__name__, str(problem)[:500]))
                raise
        for tensor, old in zip(given, before, strict=True):
            if version(tensor) != old:
                watch.nodes.wrote(tensor, name.strip("_"), user_lines())
        if name == "zero_":
            watch.gradients.cleared()
        for tensor in (*tensors(result), *given):
            watch.nodes.reach(root(tensor))
        watch.called(func, given, kwargs, result)
        return result

    def _got(self, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """An attribute, as it is; somebody who reads a gradient wants it."""
        result = func(*args, **kwargs)
        if func == _GRAD_GETTER and frame.f_code.co_filename == Program.file:
            with _unwatched():
                for watcher in self.watch.watchers:
                    watcher.read(args[0], result)
        return result


@contextlib.contextmanager
def watching(watch: Instruments) -> Iterator[None]:
    """Have the instruments in place. For a process that runs one program and then ends."""
    versions: dict[int, int] = {}

    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        with _unwatched():
            watch.gradients.before_step(optimizer, args, kwargs)
            for watcher in watch.watchers:
                watcher.steps(optimizer)
            versions.update((id(tensor), version(tensor)) for tensor in held(optimizer))
        watch.stepping = closure(args, kwargs) is None

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        watch.stepping = False
        with _unwatched():
            watch.gradients.after_step(optimizer, args, kwargs)
            for watcher in watch.watchers:
                watcher.stepped(optimizer)
            lines = user_lines()
            for tensor in held(optimizer):
                if version(tensor) != versions.get(id(tensor)):
                    watch.nodes.wrote(tensor, "step", lines, by_step=True)

    register_optimizer_step_pre_hook(before)
    register_optimizer_step_post_hook(after)
    door = "_engine_run_backward"
    setattr(torch.autograd, door, watch.engine(getattr(torch.autograd, door)))
    _watch_clears(watch)
    _watch_copies(watch)
    _watch_building(watch)
    for watcher in watch.watchers:
        watcher.install()
    with Mode(watch):
        yield


def _watch_clears(watch: Instruments) -> None:
    for kind in (torch.optim.Optimizer, torch.nn.Module):

        def cleared(self: Any, *args: Any, _clear: Any = kind.zero_grad, **kwargs: Any) -> Any:
            result = _clear(self, *args, **kwargs)
            with _unwatched():
                watch.gradients.cleared()
            return result

        kind.zero_grad = cleared


def _watch_building(watch: Instruments) -> None:
    kind = torch.optim.Optimizer
    for build in (kind.__init__, kind.add_param_group):

        def built(self: Any, *args: Any, _build: Any = build, **kwargs: Any) -> None:
            _build(self, *args, **kwargs)
            with _unwatched():
                for watcher in watch.watchers:
                    watcher.built(self)

        setattr(kind, build.__name__, built)


def _watch_copies(watch: Instruments) -> None:
    """`torch.tensor` and `torch.as_tensor` copy values out of the graph, unseen by the mode."""
    for name, make in (("tensor", torch.tensor), ("as_tensor", torch.as_tensor)):

        def copied(data: Any, *args: Any, _make: Any = make, **kwargs: Any) -> Any:
            if not isinstance(data, torch.Tensor):
                parts = list(tensors(data))
                with _unwatched():
                    kept = [watch.cut("tensor", part) for part in parts]
                if any(kept):
                    return torch.stack(parts)
            elif _make.__name__ == "tensor" and watch.cut("tensor", data):
                return data
            return _make(data, *args, **kwargs)

        copied.__name__ = name
        setattr(torch, name, copied)


def _reached(roots: Any, args: tuple[Any, ...]) -> list[torch.Tensor]:
    wanted = args[3] if len(args) > 3 else ()
    under = leaves([start(tensor) for tensor in roots])
    return [tensor for tensor in under if not wanted or any(tensor is w for w in wanted)]


def _size(old: list[Old]) -> int:
    """The bytes that these nodes keep; what several keep, weights above all, is there once."""
    sizes = {address: size for *_, saved in old for address, _, size in saved}
    return sum(sizes.values())


def _state(tensor: object) -> tuple[object, ...]:
    if not isinstance(tensor, torch.Tensor):
        return ()
    return (version(tensor), tensor.requires_grad, str(tensor.device), tensor.dtype, id(tensor.grad))
