"""What stands for a part of a program that Python's own tree has no node, or no true place, for.

They are equal where they stand for the same part, as the tree's own nodes are.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """The operands of `a or b or c` up to the one at `last`."""

    node: ast.BoolOp
    last: int


@dataclass(frozen=True, slots=True)
class Clause:
    """One `for target in iterable if condition`, with those behind it up to `last`."""

    node: ast.comprehension
    last: ast.comprehension


@dataclass(frozen=True, slots=True)
class Bare:
    """A generator that is a call's only argument, without the call's parentheses."""

    node: ast.GeneratorExp


@dataclass(frozen=True, slots=True)
class Embedded:
    """A node in a format string, which Python before 3.12 places as if it stood somewhere else."""

    node: object
