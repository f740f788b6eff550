"""Arithmetic on the program's constants.

A program may ask for numbers and texts that fill the memory (`x ** 10 ** 9`, `"ab" * 10 ** 12`), and a
few lines that double a number often enough do the same; what would be large is no longer known exactly.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from lintgrad.machine.values import NONE, Lit, Symbol, Value

MAX_BITS = 256
MAX_TEXT = 10_000

_ARITHMETIC: dict[str, Callable[[Any, Any], object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def literal(value: object) -> Value:
    """A constant as the program has it; a number that is too large to be worked with is any number."""
    if value is None:
        return NONE
    return Symbol("number") if _large(value) else Lit(value)


def binary(op: str, left: object, right: object) -> Value | None:
    """`left op right` for two constants; None where the result has no value that is known here."""
    if isinstance(left, (str, bytes)) or isinstance(right, (str, bytes)):
        return _texts(op, left, right)
    if isinstance(left, int) and isinstance(right, int) and _grows(op, left, right):
        return Symbol("number")
    try:
        return literal(_ARITHMETIC[op](left, right))
    except (KeyError, TypeError, ValueError, ArithmeticError):
        return None


def unary(op: str, value: object) -> Value | None:
    """`op value` for a constant, as `binary`."""
    operation = {"-": operator.neg, "+": operator.pos, "~": operator.invert}.get(op)
    if operation is None or not isinstance(value, (int, float, complex)):
        return None
    try:
        return literal(operation(value))  # type: ignore[operator]  # a float has no `~`: that is caught
    except TypeError:
        return None


def text(value: object) -> Value | None:
    """`str(value)`; None where that would be long."""
    if _large(value) or (isinstance(value, (str, bytes)) and len(value) > MAX_TEXT):
        return None
    return Lit(str(value))


def _texts(op: str, left: object, right: object) -> Value | None:
    if op == "+" and isinstance(left, str) and isinstance(right, str):
        return Lit(left + right) if len(left) + len(right) <= MAX_TEXT else None
    if op == "+" and isinstance(left, bytes) and isinstance(right, bytes):
        return Lit(left + right) if len(left) + len(right) <= MAX_TEXT else None
    if op == "*" and isinstance(left, (str, bytes)) and isinstance(right, int):
        return Lit(left * right) if len(left) * right <= MAX_TEXT else None
    return None


def _grows(op: str, left: int, right: int) -> bool:
    """Whether a result would be far larger than what it is made of, so that it is not worked out."""
    if op == "<<":
        return right > MAX_BITS
    return op == "**" and left.bit_length() * abs(right) > 4 * MAX_BITS


def _large(value: object) -> bool:
    return isinstance(value, int) and value.bit_length() > MAX_BITS
