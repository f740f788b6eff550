"""Random expressions whose shapes fit: 3x3 matrices and scalars."""

from __future__ import annotations

from tests.differential.drawing import Pen
from tests.differential.forms import BINARY, SCALARS, UNARY
from tests.differential.names import Scope


def matrix(pen: Pen, scope: Scope, depth: int = 2) -> str:
    """An expression of shape (3, 3)."""
    if depth == 0:
        return pen.pick(scope.matrices)
    match pen.number(0, 9):
        case 0 | 1:
            return pen.pick(scope.matrices)
        case 2 | 3 if scope.modules:
            return f"{pen.pick(scope.modules)}({matrix(pen, scope, depth - 1)})"
        case 4 | 5 | 6:
            return pen.pick(UNARY).format(_operand(pen, scope, depth - 1))
        case 7 if scope.scalars:
            return f"{_operand(pen, scope, depth - 1)} * {pen.pick(scope.scalars)}"
        case 8 if scope.helpers:
            return f"{pen.pick(scope.helpers)}({pen.pick(scope.matrices)}, {matrix(pen, scope, depth - 1)})"
        case _:
            return pen.pick(BINARY).format(_operand(pen, scope, depth - 1), _operand(pen, scope, depth - 1))


def scalar(pen: Pen, scope: Scope, depth: int = 2) -> str:
    """An expression of one element."""
    if pen.number(0, 5):
        return loss(pen, scope, depth)
    match pen.number(0, 9):
        case 7 if scope.scalars:
            return f"{pen.pick(scope.scalars)} + {scalar(pen, scope, depth - 1) if depth else 1}"
        case 8 if scope.scalars:
            how = ("{0} * 2", "{0} / 2", "-{0}", "{0} ** 2", "{0}.detach()", "{0}.exp()", "{0}.clone()")
            return pen.pick(how).format(pen.pick(scope.scalars))
        case 9 if scope.lists:
            ways = ("sum({0})", "torch.stack({0}).sum()", "torch.stack({0}).mean()", "{0}[-1]")
            return pen.pick(ways).format(pen.pick(scope.lists))
        case _:
            return pen.pick(SCALARS).format(_operand(pen, scope, depth - 1), _operand(pen, scope, 0))


def loss(pen: Pen, scope: Scope, depth: int = 2) -> str:
    """An expression of one element that has a graph, mostly."""
    if scope.losses and not pen.number(0, 5):
        rest = pen.pick(SCALARS).format(grounded(pen, scope, 0), _operand(pen, scope, 0))
        return f"{pen.pick(scope.losses)} + {rest}"
    return pen.pick(SCALARS).format(grounded(pen, scope, depth - 1), _operand(pen, scope, 0))


def grounded(pen: Pen, scope: Scope, depth: int) -> str:
    """A matrix that hangs on parameters, mostly."""
    inner = _operand(pen, scope, max(depth, 0))
    if scope.modules and pen.number(0, 2):
        return f"{pen.pick(scope.modules)}({inner})"
    made = [name for name in scope.matrices if name[0] == "a"]
    if made and pen.number(0, 2):
        return pen.pick(made[::-1])
    return f"({pen.pick(scope.leaves)} {pen.pick('*@+')} {inner})"


def _operand(pen: Pen, scope: Scope, depth: int) -> str:
    """A matrix that a method can be called on."""
    text = matrix(pen, scope, max(depth, 0))
    return text if text.replace(".", "").replace("_", "").isalnum() else f"({text})"
