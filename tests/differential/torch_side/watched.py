"""A run of one program, watched: its nodes by `Nodes`, its gradients by a `Ledger`.

What is patched for a run is as before behind it, so that one process can run thousands of programs.
"""

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
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch.optim import optimizer as optimizers
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from lintgrad.verify.child.tensors import leaves
from tests.differential.torch_side.ledger import Ledger, is_early
from tests.differential.torch_side.loops import FILE, Loops
from tests.differential.torch_side.nodes import Nodes

GRAD_SETTER = torch.Tensor.grad.__set__


class Watched:
    """One run: `answer` runs the program and says what was seen."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.loops = Loops(self._head)
        self.ledger = Ledger(self.loops)
        self.nodes = Nodes(self.loops, self._before_call)
        self.heads: dict[tuple[int, int], list[tuple[int, list[int]]]] = defaultdict(list)

    def answer(self) -> dict[str, Any]:
        """What the comparison asks of a run."""
        error, stack = self._run()
        turns = [turn for entered, turn in self.loops.now.values() if entered]
        walks = [[walk.line, bool(walk.stamp), walk.number in self.nodes.needed] for walk in self.nodes.walks]
        return {
            "error": error,
            "stack": stack,
            "early": self._early(stack),
            "carried": sorted(self.nodes.carried),
            "doubled": sorted(self.nodes.doubled),
            "steps": self.ledger.steps,
            "walks": walks,
            "growth": self._growth(),
            "turns": max(turns, default=0),
            "least turns": min(turns, default=0),
        }

    def _early(self, stack: list[int]) -> bool:
        """Whether the loops around these lines are in turns that the machine runs, too."""
        around = [n for n, body in enumerate(self.loops.bodies) if any(line in body for line in stack)]
        return is_early(self.loops.now[loop][1] for loop in around)

    def _run(self) -> tuple[list[Any] | None, list[int]]:
        code = compile(self.loops.instrument(ast.parse(self.program)), FILE, "exec")
        module = types.ModuleType("__main__")
        module.__dict__.update(self.loops.names())
        with (
            self._patched(module),
            contextlib.redirect_stdout(io.StringIO()),
            warnings.catch_warnings(),
            self.nodes,
        ):
            warnings.simplefilter("ignore")
            try:
                exec(code, module.__dict__)
            except Exception as problem:  # noqa: BLE001 - whatever a program raises is what it shows
                frames = traceback.extract_tb(problem.__traceback__)
                stack = [frame.lineno or 0 for frame in frames if frame.filename == FILE]
                return [stack[-1] if stack else 0, f"{type(problem).__name__}: {problem}"], stack
        return None, []

    @contextlib.contextmanager
    def _patched(self, module: types.ModuleType) -> Iterator[None]:
        """torch with this run's watchers, and `module` as the main program."""
        main, engine = sys.modules["__main__"], torch.autograd._engine_run_backward
        kinds = [optimizers.Optimizer, torch.nn.Module]
        plain = [kind.zero_grad for kind in kinds]
        hooks = [
            register_optimizer_step_pre_hook(self.ledger.before_step),
            register_optimizer_step_post_hook(self.ledger.after_step),
        ]
        sys.modules["__main__"] = module
        torch.autograd._engine_run_backward = self._engine(self.nodes.engine(engine))
        for kind, leaves_of in zip(kinds, [_held, torch.nn.Module.parameters], strict=True):
            kind.zero_grad = self._zero_grad(kind.zero_grad, leaves_of)
        try:
            yield
        finally:
            sys.modules["__main__"], torch.autograd._engine_run_backward = main, engine
            for hook in hooks:
                hook.remove()
            for kind, method in zip(kinds, plain, strict=True):
                kind.zero_grad = method

    def _engine(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            self.ledger.before_backward()
            reached: list[torch.Tensor] = []
            if kwargs.get("accumulate_grad"):
                reached = leaves([t.grad_fn for t in tensors]) + [t for t in tensors if t.is_leaf]
            result = run(tensors, *args, **kwargs)
            self.ledger.after_backward(reached)
            return result

        return backward

    def _zero_grad(
        self, method: Callable[..., None], leaves_of: Callable[[Any], Iterable[Any]]
    ) -> Callable[..., None]:
        def zero_grad(owner: Any, *args: Any, **kwargs: Any) -> None:
            with self.ledger.zeroing(leaves_of(owner)):
                method(owner, *args, **kwargs)

        return zero_grad

    def _before_call(self, func: Any, args: Any) -> None:
        if func == GRAD_SETTER:
            self.ledger.assigned(args[0], args[1])

    def _head(self, loop: int) -> None:
        """At the head of a turn: which nodes of earlier turns are alive."""
        gc.collect()
        entry, turn = self.loops.now[loop]
        old = [
            token.serial
            for token in self.nodes.alive
            if loop in token.stamp and token.stamp[loop][0] == entry and token.stamp[loop][1] < turn
        ]
        self.heads[loop, entry].append((len(self.nodes.walks), old))

    def _growth(self) -> int:
        """By how many nodes the loops grow a turn; nodes that a later backward runs do not count."""
        total = 0
        for heads in self.heads.values():
            counts = [sum(self.nodes.last_run.get(s, -1) < now for s in old) for now, old in heads]
            last = counts[-3:]
            if len(last) == 3 and 0 < last[0] < last[1] < last[2]:
                total += last[2] - last[1]
        return total


def _held(owner: Any) -> list[torch.Tensor]:
    return [tensor for group in owner.param_groups for tensor in group["params"]]


def run(program: str) -> dict[str, Any]:
    """What is seen when `program` runs in this process."""
    torch.manual_seed(0)
    random.seed(0)
    return Watched(program).answer()
