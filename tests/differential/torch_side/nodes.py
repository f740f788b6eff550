"""What happens to autograd nodes: who made them, which backward ran them, how long they live.

A node's Python object comes and goes, its `metadata` stays: each node carries a *token* there, and
the tokens that are alive are the nodes that are alive.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from lintgrad.verify.child.tensors import below, is_leaf
from tests.differential.torch_side.loops import Loops, Stamp, earlier, user_line

KEY = "lintgrad"


@dataclass(eq=False)
class Token:
    """What is known of one node. `ran`: its last backward; `freed`: the one that freed it."""

    serial: int
    stamp: Stamp
    ran: int | None = None
    freed: int | None = None
    root_of: set[int] = field(default_factory=set)
    kept_by: set[int] = field(default_factory=set)


@dataclass
class Walk:
    """One backward: where it stands, whether it keeps the graph, whether it fills `.grad`."""

    number: int
    line: int
    stamp: Stamp
    keeps: bool
    fills: bool


class Nodes(TorchFunctionMode):
    """Watches an example's nodes; an active TorchFunctionMode sees each call that may make one.

    `before` is told of each call.
    """

    def __init__(self, loops: Loops, before: Callable[..., None]) -> None:
        super().__init__()
        self.loops = loops
        self.before = before
        self.alive: weakref.WeakSet[Token] = weakref.WeakSet()
        self.last_run: dict[int, int] = {}
        self.walks: list[Walk] = []
        self.needed: set[int] = set()
        self.doubled: set[int] = set()
        self.carried: set[int] = set()
        self.made = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Make the call, then look for new nodes under its result and arguments."""
        self.before(func, args)
        result = func(*args, **(kwargs or {}))
        for tensor in _tensors((result, args)):
            self.reach(_root(tensor))
        return result

    def reach(self, root: Any) -> None:
        """Give a token to each node under `root` that has none."""
        stack = [root]
        while stack:
            node = stack.pop()
            if node is None or is_leaf(node) or KEY in node.metadata:
                continue
            self.made += 1
            node.metadata[KEY] = token = Token(self.made, self.loops.stamp())
            self.alive.add(token)
            stack += [below for below, _ in node.next_functions]

    def engine(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """`run`, the one door to torch's engine, watched."""

        def watched(tensors: Any, gradients: Any, keeps: bool, *args: Any, **kwargs: Any) -> Any:
            roots = [_root(tensor) for tensor in tensors]
            for root in roots:
                self.reach(root)
            fills = bool(kwargs.get("accumulate_grad"))
            walk = Walk(len(self.walks), user_line(), self.loops.stamp(), bool(keeps), fills)
            self.walks.append(walk)
            under = list(below(roots))
            freed = [node.metadata[KEY] for node in under if node.metadata[KEY].freed is not None]
            ran: list[Token] = []
            handles = [node.register_prehook(_appends(ran, node.metadata[KEY])) for node in under]
            del under
            try:
                result = run(tensors, gradients, keeps, *args, **kwargs)
            except RuntimeError as error:
                self.needed.update(*(token.kept_by for token in ran))
                if "second time" in str(error):
                    self._carried(walk, roots, freed)
                raise
            finally:
                for handle in handles:
                    handle.remove()
            self._done(walk, roots, ran)
            return result

        return watched

    def _done(self, walk: Walk, roots: list[Any], ran: list[Token]) -> None:
        self._carried(walk, roots, [token for token in ran if token.ran is not None])
        for token in ran:
            self.needed |= token.kept_by
            doubled = token.freed is not None and any(self.walks[root].fills for root in token.root_of)
            if doubled and walk.fills:
                self.doubled.add(walk.line)
        for token in ran:
            token.ran = self.last_run[token.serial] = walk.number
            if walk.keeps:
                token.kept_by.add(walk.number)
            else:
                token.freed = walk.number
        for root in roots:
            if root is not None and not is_leaf(root):
                root.metadata[KEY].root_of.add(walk.number)

    def _carried(self, walk: Walk, roots: list[Any], again: list[Token]) -> None:
        """Note a walk from a root of this turn into nodes that an earlier turn made and ran."""
        fresh = [root for root in roots if root is not None and not is_leaf(root)]
        for token in again:
            loops = earlier(token.stamp, walk.stamp)
            for root in fresh:
                if loops - earlier(root.metadata[KEY].stamp, walk.stamp):
                    self.carried.add(walk.line)


def _root(tensor: torch.Tensor) -> Any:
    try:
        if tensor.grad_fn is not None or not tensor.requires_grad:
            return tensor.grad_fn
        return torch.autograd.graph.get_gradient_edge(tensor).node
    except RuntimeError:
        # torch refuses to say for a view that was made without gradients and then written to.
        return None


def _appends(ran: list[Token], token: Token) -> Callable[[Any], None]:
    return lambda _: ran.append(token)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _tensors(item)
