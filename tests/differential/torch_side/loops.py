"""Which loops a program is in, and in which of their turns, while it runs.

`instrument` adds two calls to a program's syntax tree: one before each loop and one at the head of
its body. A *stamp* says when something happened: for each loop around, how often the loop was
entered before and which turn it was in.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

FILE = "<example>"
Stamp = dict[int, tuple[int, int]]
Loop = ast.For | ast.While | ast.AsyncFor


class _Marker(ast.NodeTransformer):
    def __init__(self) -> None:
        self.bodies: list[range] = []

    def _loop(self, node: Loop) -> list[ast.stmt]:
        number = len(self.bodies)
        last = max(getattr(child, "end_lineno", 0) for child in node.body)
        self.bodies.append(range(node.body[0].lineno, last + 1))
        self.generic_visit(node)
        node.body.insert(0, _call("__turn__", number, node.body[0]))
        return [_call("__enter_loop__", number, node), node]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        return self._loop(node)


def _call(name: str, number: int, where: ast.stmt) -> ast.stmt:
    call = ast.Call(ast.Name(name, ast.Load()), [ast.Constant(number)], [])
    statement = ast.copy_location(ast.Expr(call), where)
    return ast.fix_missing_locations(statement)


def user_frames() -> list[FrameType]:
    """The frames that run the example, the innermost first."""
    frames = list[FrameType]()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == FILE:
            frames.append(frame)
        frame = frame.f_back
    return frames


def user_line() -> int:
    """The example's line that runs now, the innermost; 0 when none does."""
    frames = user_frames()
    return frames[0].f_lineno if frames else 0


@dataclass
class Loops:
    """The loops of a running example."""

    on_turn: Callable[[int], None]
    bodies: list[range] = field(default_factory=list)
    now: Stamp = field(default_factory=dict)

    def instrument(self, tree: ast.Module) -> ast.Module:
        """`tree` with the calls that keep this object up to date."""
        marker = _Marker()
        tree = marker.visit(tree)
        self.bodies = marker.bodies
        self.now = dict.fromkeys(range(len(marker.bodies)), (0, 0))
        return tree

    def names(self) -> dict[str, Callable[[int], None]]:
        """What the added calls call."""
        return {"__turn__": self._turn, "__enter_loop__": self._enter}

    def _enter(self, loop: int) -> None:
        self.now[loop] = (self.now[loop][0] + 1, 0)

    def _turn(self, loop: int) -> None:
        entry, turn = self.now[loop]
        self.now[loop] = (entry, turn + 1)
        self.on_turn(loop)

    def stamp(self) -> Stamp:
        """The present turn of each loop that is around the line that runs, callers included."""
        lines = [frame.f_lineno for frame in user_frames()]
        around = [n for n, body in enumerate(self.bodies) if any(line in body for line in lines)]
        return {loop: self.now[loop] for loop in around}


def earlier(past: Stamp, present: Stamp) -> set[int]:
    """The loops of `present` in an earlier turn of which, since the loop was entered, `past` lies."""
    return {
        loop
        for loop, (entry, turn) in present.items()
        if loop in past and past[loop][0] == entry and past[loop][1] < turn
    }
