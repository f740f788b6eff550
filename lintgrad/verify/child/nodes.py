"""What happens to autograd nodes: who made them, which backward ran them, how long they live.

A node's Python object comes and goes, its `metadata` stays: each node carries a *token* there, and the
tokens that are alive are the nodes that are alive. Hooks for saved tensors would tell more and are not used:
they switch torch's check of versions off, and the faults it finds would vanish.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from lintgrad.verify.child.frames import Lines, user_lines
from lintgrad.verify.child.loops import Loops, earlier
from lintgrad.verify.child.record import Again, Stale, Stamp, Walk
from lintgrad.verify.child.tensors import below, is_leaf, place, root, saved, start, version

KEY = "lintgrad"


@dataclass(eq=False)
class Token:
    """What is known of one node.

    `ran`: its last walk; `freed`: the walk that freed it; `saved`: address, version and size of each tensor
    that it keeps; `firm`: it was not made of a stand-in's values.
    """

    serial: int
    stamp: Stamp
    lines: Lines
    op: str
    saved: list[tuple[int, int, int]]
    firm: bool = True
    ran: int | None = None
    freed: int | None = None
    root_of: set[int] = field(default_factory=set)
    kept_by: set[int] = field(default_factory=set)

    @property
    def line(self) -> int:
        """The line that made it; 0 when no line of the program did."""
        return self.lines[0] if self.lines else 0


@dataclass(frozen=True)
class Write:
    """A write in place: after how many nodes it came, what wrote, and whether a step did."""

    after: int
    op: str
    lines: Lines
    by_step: bool


@dataclass
class Nodes:
    """All nodes of a run, and its walks. `is_firm` says whether what runs now may be relied on."""

    loops: Loops
    is_firm: Callable[[], bool] = lambda: True
    alive: weakref.WeakSet[Token] = field(default_factory=weakref.WeakSet)
    last_run: dict[int, int] = field(default_factory=dict)
    freed: set[int] = field(default_factory=set)
    walks: list[Walk] = field(default_factory=list)
    writes: dict[int, list[Write]] = field(default_factory=dict)
    made: int = 0
    made_in: set[tuple[int, int]] = field(default_factory=set)

    def reach(self, top: Any) -> None:
        """Give a token to each node under `top` that has none."""
        stack = [top]
        lines: Lines = ()
        stamp: Stamp | None = None
        while stack:
            node = stack.pop()
            if node is None or is_leaf(node) or KEY in node.metadata:
                continue
            if stamp is None:
                lines = user_lines()
                stamp = self.loops.stamp(lines)
                self.made_in.update((loop, entry) for loop, (entry, _) in stamp.items())
            node.metadata[KEY] = self._token(node, lines, stamp)
            stack += [further for further, _ in node.next_functions]

    def _token(self, node: Any, lines: Lines, stamp: Stamp) -> Token:
        self.made += 1
        kept = [(place(t), version(t), t.numel() * t.element_size()) for t in saved(node)]
        op = node.name().removesuffix("Backward0").removesuffix("Backward").removesuffix("Backward1")
        token = Token(self.made, stamp, lines, op.lower(), kept, self.is_firm())
        self.alive.add(token)
        return token

    def wrote(self, tensor: torch.Tensor, op: str, lines: Lines, *, by_step: bool = False) -> None:
        """A tensor's memory was written to."""
        self.writes.setdefault(place(tensor), []).append(Write(self.made, op, lines, by_step))

    def begin(self, starts: list[torch.Tensor], *, keeps: bool, fills: bool) -> Watched:
        """A walk from these tensors begins."""
        lines = user_lines()
        walk = Walk(len(self.walks), lines, self.loops.stamp(lines), keeps, fills)
        self.walks.append(walk)
        self.loops.walked(walk.stamp)
        roots = [start(tensor) for tensor in starts]
        for node in roots:
            self.reach(node)
        return Watched(self, walk, roots)


class Watched:
    """One walk while it runs. No reference to a node is left when `done` or `failed` returns."""

    def __init__(self, nodes: Nodes, walk: Walk, roots: list[Any]) -> None:
        self.nodes = nodes
        self.walk = walk
        self.ran: list[Token] = []
        self.roots: list[Token] = [r.metadata[KEY] for r in roots if r is not None and not is_leaf(r)]
        under = list(below(roots))
        self.under: list[Token] = [node.metadata[KEY] for node in under]
        self.handles = [node.register_prehook(_appends(self.ran, node.metadata[KEY])) for node in under]
        walk.firm = nodes.is_firm() and all(token.firm for token in self.roots)

    def close(self) -> None:
        """Stop watching the nodes."""
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def done(self) -> None:
        """The walk went through."""
        self.walk.nodes = len(self.ran)
        self._again([token for token in self.ran if token.ran is not None])
        for token in self.ran:
            self._needs(token)
            token.ran = self.nodes.last_run[token.serial] = self.walk.number
            if self.walk.keeps:
                token.kept_by.add(self.walk.number)
            else:
                token.freed = self.walk.number
                self.nodes.freed.add(token.serial)
        for token in self.roots:
            token.root_of.add(self.walk.number)

    def created(self, leaves: list[torch.Tensor]) -> None:
        """The walk made a graph of what it added to these leaves: that graph is kept by it."""
        tops = [root(leaf.grad) for leaf in leaves if leaf.grad is not None]
        for top in tops:
            self.nodes.reach(top)
        made = [token for node in below(tops) if not (token := node.metadata[KEY]).kept_by]
        self.walk.creates = len(made)
        for token in made:
            token.kept_by.add(self.walk.number)

    def failed(self, error: RuntimeError) -> None:
        """The walk raised."""
        self.walk.error = str(error).strip().splitlines()[0] if str(error) else type(error).__name__
        for token in self.ran:
            self._needs(token)
        if "second time" in str(error):
            self._again([token for token in self.under if token.freed is not None])
        if "modified by an inplace operation" in str(error):
            self._stale()

    def _needs(self, token: Token) -> None:
        for number in token.kept_by:
            needed_by = self.nodes.walks[number].needed_by
            if self.walk.number not in needed_by:
                needed_by.append(self.walk.number)

    def _again(self, again: list[Token]) -> None:
        by_walk: dict[int, list[Token]] = {}
        for token in again:
            number = token.ran if token.ran is not None else token.freed
            if number is not None:
                by_walk.setdefault(number, []).append(token)
        for number, group in sorted(by_walk.items()):
            # What kept something raises, what kept nothing is run silently: name the former first.
            named = max(group, key=lambda token: (token.firm, bool(token.saved), token.serial))
            fills = self.nodes.walks[number].fills and self.walk.fills
            self.walk.again.append(
                Again(
                    walk=number,
                    nodes=len(group),
                    freed=sum(token.freed is not None for token in group),
                    rooted=fills and any(t.freed is not None and self._rooted(t) for t in group),
                    carried=any(self._carried(token) for token in group),
                    made=named.line,
                    op=named.op,
                    firm=any(token.firm for token in group),
                )
            )

    def _rooted(self, token: Token) -> bool:
        return any(self.nodes.walks[number].fills for number in token.root_of)

    def _carried(self, token: Token) -> bool:
        """Whether an earlier turn made it, and this walk begins at what a later one made."""
        loops = earlier(token.stamp, self.walk.stamp)
        return any(loops - earlier(first.stamp, self.walk.stamp) for first in self.roots)

    def _stale(self) -> None:
        for token in self.under:
            for address, _, _ in token.saved:
                writes = [w for w in self.nodes.writes.get(address, []) if w.after >= token.serial]
                for write in writes:
                    self.walk.stale.append(
                        Stale(token.op, token.line, write.op, write.lines, write.by_step, token.firm)
                    )


def _appends(ran: list[Token], token: Token) -> Callable[[Any], None]:
    return lambda _: ran.append(token)
