"""Runs one program and says what was seen. Called in a process made for this run alone."""

from __future__ import annotations

import ast
import contextlib
import gc
import io
import random
import sys
import traceback
import types
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from tests.rules.truth.gradients import GRAD_SETTER, Gradients
from tests.rules.truth.loops import FILE, Loops, user_line
from tests.rules.truth.nodes import Nodes, leaves
from tests.rules.truth.outcome import digest
from tests.rules.truth.protocol import Protocol
from tests.rules.truth.slopes import Slopes
from tests.rules.truth.tensors import Tensors
from tests.rules.truth.typos import Typos

Facts = dict[str, Any]


class _Drops(ast.NodeTransformer):
    """Wraps what a statement drops: a call's receiver, a method that is not called, a comparison's left."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        if isinstance(node.value, ast.Attribute):
            node.value = self._wrapped("__method__", node.value)
        elif isinstance(node.value, ast.Compare) and isinstance(node.value.left, ast.Attribute):
            node.value.left.value = self._wrapped("__compared__", node.value.left.value)
        elif isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            node.value.func.value = self._wrapped("__receiver__", node.value.func.value)
        return ast.fix_missing_locations(node)

    @staticmethod
    def _wrapped(name: str, value: ast.expr) -> ast.Call:
        call = ast.Call(ast.Name(name, ast.Load()), [ast.Constant(value.lineno), value], [])
        return ast.copy_location(call, value)


@dataclass
class Run:
    """One watched run."""

    program: str
    log: list[str] = field(default_factory=list)
    gradient_values: list[list[float]] = field(default_factory=list)
    sizes: dict[tuple[int, int], list[tuple[int, list[int]]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    receivers: dict[int, bool] = field(default_factory=dict)
    methods: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.loops = Loops(self._head)
        self.gradients = Gradients()
        self.protocol = Protocol(self.loops, self.gradients)
        self.tensors = Tensors(self.protocol.holds)
        self.slopes = Slopes()
        self.typos = Typos()
        self.nodes = Nodes(self.loops, self._before_call, self._after_call)
        self.namespace: dict[str, Any] = {}

    def facts(self) -> Facts:
        """Run the program; what was seen."""
        tree = self.loops.instrument(_Drops().visit(ast.parse(self.program)))
        code = compile(tree, FILE, "exec")
        self._watch()
        error, stack = None, list[int]()
        output = io.StringIO()
        with contextlib.redirect_stdout(output), warnings.catch_warnings(), self.nodes:
            warnings.simplefilter("always")
            warnings.showwarning = self.protocol.warned
            try:
                exec(code, self.namespace)
            except Exception as problem:  # noqa: BLE001 - whatever a program raises is what it shows
                stack = _stack(problem)
                self.tensors.failed(problem)
                error = [stack[-1] if stack else 0, f"{type(problem).__name__}: {problem}"]
        return {
            "error": error,
            "stack": stack,
            "outcome": [error, output.getvalue(), self.log, digest(self._values())],
            "doubled-gradient": sorted(self.nodes.doubled),
            "carried-graph": sorted(self.nodes.carried),
            "stale-gradient": sorted(self.gradients.stale),
            "cleared-gradient": sorted(self.gradients.cleared),
            "empty-step": sorted(self.gradients.empty - self.gradients.cleared),
            **self._misuses(),
            "walks": [[w.line, bool(w.stamp), w.number in self.nodes.needed] for w in self.nodes.walks],
            "growth": self._growth(),
            "turns": sum(map(len, self.sizes.values())),
            "dropped": sorted(line for line, drops in self.receivers.items() if drops),
            "uncalled": sorted(line for line, drops in self.methods.items() if drops),
            "typos": sorted(self.typos.lines),
            "gradients": self.gradient_values,
            "added-slopes": sorted(self.slopes.added),
        }

    def _misuses(self) -> Facts:
        """The lines of the faults that one look at the run shows."""
        return {
            "rewrapped": self.tensors.rewrapped(),
            "unkept-gradient": sorted(self.tensors.nonleaf),
            "rebound-leaf": sorted(self.tensors.rebound),
            "defeated": sorted(self.gradients.defeated),
            "forgotten-state": sorted(self.protocol.forgotten),
            "early-schedule": sorted(self.protocol.early),
            "useless-clip": self.protocol.misplaced(),
            "own-gradient": sorted(self.nodes.own),
            "created-unneeded": self.nodes.created_unneeded(),
        }

    def _before_call(self, func: Any, args: Any) -> None:
        if func == GRAD_SETTER:
            self.gradients.assigned(args[0], args[1])

    def _after_call(self, func: Any, args: Any, kwargs: Any, result: Any, *, by_user: bool) -> None:
        self.gradients.called(func, args)
        self.slopes.called(func, [args, kwargs], result)
        self.tensors.called(func, args, kwargs, result, by_user=by_user)

    def _watch(self) -> None:
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        self.namespace = module.__dict__
        self.namespace |= self.loops.names()
        self.namespace |= {"__receiver__": self._receiver, "__method__": self._method}
        self.namespace["__compared__"] = self.typos.compared
        self.typos.watch()
        self.protocol.watch()
        engine = self.nodes.engine(torch.autograd._engine_run_backward)

        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            self.gradients.before_backward()
            reached = self._reached(tensors, args, kwargs)
            if kwargs.get("accumulate_grad"):
                self.tensors.before_backward(reached)
            result = engine(tensors, *args, **kwargs)
            self.gradients.after_backward(reached)
            self.log += [str(leaf.grad) for leaf in reached]
            filled = [leaf.grad for leaf in reached] if kwargs.get("accumulate_grad") else result
            self.gradient_values.append(_numbers(filled))
            if not kwargs.get("accumulate_grad"):
                self.slopes.came(filled)
            return result

        torch.autograd._engine_run_backward = backward
        register_optimizer_step_pre_hook(self.gradients.before_step)
        register_optimizer_step_post_hook(self.gradients.after_step)
        register_optimizer_step_post_hook(self.protocol.after_step)

    @staticmethod
    def _reached(tensors: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
        if not kwargs.get("accumulate_grad"):
            return []
        wanted = args[3] if len(args) > 3 else ()
        under = leaves([t.grad_fn for t in tensors]) + [t for t in tensors if t.is_leaf]
        return [t for t in under if not wanted or any(t is w for w in wanted)]

    def _head(self, loop: int) -> None:
        """At the head of a turn: which nodes of earlier turns are alive."""
        gc.collect()
        entry, turn = self.loops.now[loop]
        old = [
            token.serial
            for token in self.nodes.alive
            if loop in token.stamp and token.stamp[loop][0] == entry and token.stamp[loop][1] < turn
        ]
        self.sizes[loop, entry].append((len(self.nodes.walks), old))

    def _growth(self) -> int:
        """By how many nodes the loops grow a turn; nodes that a later backward runs do not count."""
        total = 0
        for heads in self.sizes.values():
            counts = [sum(self.nodes.last_run.get(s, -1) < now for s in old) for now, old in heads]
            last = counts[-3:]
            if len(last) == 3 and 0 < last[0] < last[1] < last[2]:
                total += last[2] - last[1]
        return total

    def _receiver(self, _: int, value: Any) -> Any:
        line = user_line()
        self.receivers[line] = self.receivers.get(line, True) and isinstance(value, torch.Tensor)
        return value

    def _method(self, _: int, value: Any) -> Any:
        self.methods[user_line()] = callable(value)
        return value

    def _values(self) -> dict[str, Any]:
        return {name: value for name, value in self.namespace.items() if not name.startswith("__")}


def _numbers(tensors: Any) -> list[float]:
    """All numbers of some tensors, those that are None left out."""
    return [number for t in tensors if t is not None for number in t.detach().flatten().tolist()]


def _stack(problem: BaseException) -> list[int]:
    """The example's lines that a problem came through, the innermost last."""
    frames = traceback.extract_tb(problem.__traceback__)
    return [frame.lineno or 0 for frame in frames if frame.filename == FILE]


def _idle(_: Any, closure: Any = None) -> Any:
    return None if closure is None else closure()


def run(program: str, *, steps: bool = True) -> Facts:
    """What is seen when `program` runs; without `steps` its optimizers do nothing."""
    torch.manual_seed(0)
    random.seed(0)
    if not steps:
        for name in torch.optim.__all__:
            kind = getattr(torch.optim, name)
            if isinstance(kind, type):
                setattr(kind, "step", _idle)  # noqa: B010 - the type checker knows no step of a type
    return Run(program).facts()
