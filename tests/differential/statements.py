"""Random statements of training programs, compound ones around others."""

from __future__ import annotations

from collections.abc import Callable

from tests.differential import training, values
from tests.differential.drawing import Pen
from tests.differential.names import Scope

Simple = Callable[[Pen, Scope], None]
_SIMPLE: tuple[Simple, ...] = (
    *[training.train] * 3,
    *[values.assign, values.loss_alone, values.in_place, values.sums, values.carry, values.modes],
    *[values.leaf_statement, values.containers],
    *[training.backward, training.clear, training.step, training.gradient, training.method],
    *[training.clip, training.by_hand, training.shared, training.closure],
)


def block(pen: Pen, scope: Scope, depth: int, most: int) -> None:
    """One to `most` statements."""
    for _ in range(pen.number(1, most)):
        statement(pen, scope, depth)


def statement(pen: Pen, scope: Scope, depth: int) -> None:
    """One statement, or some that belong together."""
    kinds = _SIMPLE
    if depth > 0:
        compounds: list[Callable[[Pen, Scope, int], None]] = [loop, loop, branch, no_grad]
        at = pen.number(0, len(kinds) + len(compounds) - 1)
        if at >= len(kinds):
            compounds[at - len(kinds)](pen, scope, depth - 1)
            return
        kinds[at](pen, scope)
        return
    pen.pick(kinds)(pen, scope)


def loop(pen: Pen, scope: Scope, depth: int) -> None:
    """A loop of two to four turns."""
    inner = scope.inner()
    variable = pen.new("i")
    walked = pen.pick(["range(4)", "range(3)", "range(2)", "enumerate", "list", "while", "range(5)"])
    if walked == "list":
        several = ", ".join(pen.pick(scope.matrices) for _ in range(pen.number(2, 3)))
        head = f"for b{variable[1:]} in [{several}]:"
        inner.matrices.append(f"b{variable[1:]}")
        inner.own(f"b{variable[1:]}")
    elif walked == "enumerate":
        head = f"for {variable}, b{variable[1:]} in enumerate(batches):"
        inner.index.append(variable)
        inner.matrices.append(f"b{variable[1:]}")
        inner.own(f"b{variable[1:]}")
    elif walked == "while":
        pen.write(f"{variable} = 0")
        head = f"while {variable} < 3:"
    else:
        head = f"for {variable} in {walked}:"
        inner.index.append(variable)
    if "h" in scope.assignable(["h"]):
        inner.matrices += ["h"] * len(inner.matrices)
    with pen.block(head):
        if pen.chance(2):
            values.carry(pen, inner)
        block(pen, inner, depth, 5)
        if walked == "while":
            pen.write(f"{variable} += 1")
    scope.writable = inner.writable if scope.writable is not None else None


def branch(pen: Pen, scope: Scope, depth: int) -> None:
    """A branch on a constant or on a loop's counter."""
    tests = ["FLAG", "not FLAG"]
    if scope.index:
        index = scope.index[-1]
        tests = [f"{index} == 0", f"{index} > 0", f"{index} % 2 == 0", f"({index} + 1) % 2 == 0", *tests]
    with pen.block(f"if {pen.pick(tests)}:"):
        block(pen, scope.inner(), depth, 3)
    if pen.chance(3):
        with pen.block("else:"):
            block(pen, scope.inner(), depth, 3)


def no_grad(pen: Pen, scope: Scope, depth: int) -> None:
    """A part without gradients, or with them again."""
    inner = scope.inner()
    with pen.block(
        pen.pick(
            ["with torch.no_grad():", "with torch.set_grad_enabled(False):", "with torch.enable_grad():"]
        )
    ):
        block(pen, inner, depth, 3)
        if pen.chance(3):
            pen.write(f"{pen.pick(scope.leaves)}.mul_(0.9)")
    _hand_over(scope, inner)


def _hand_over(scope: Scope, inner: Scope) -> None:
    """What a block that surely runs has made is there behind it."""
    for name, value in vars(inner).items():
        setattr(scope, name, value)
