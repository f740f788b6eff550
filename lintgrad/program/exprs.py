"""Expressions of the lowered program; see `lintgrad.program.nodes`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lintgrad.program.stmts import FunctionDef


@dataclass(slots=True, eq=False)
class Node:
    """Any part of the program."""

    origin: object


@dataclass(slots=True, eq=False)
class Expr(Node):
    """An expression."""


@dataclass(slots=True, eq=False)
class Const(Expr):
    """A literal: int, float, complex, str, bytes, bool, None or Ellipsis (strings joined)."""

    value: object


@dataclass(slots=True, eq=False)
class Name(Expr):
    """A name that is read, or bound where it stands as a target."""

    id: str


@dataclass(slots=True, eq=False)
class Attribute(Expr):
    """`value.attr`."""

    value: Expr
    attr: str


@dataclass(slots=True, eq=False)
class Argument(Node):
    """One argument of a call: `value`, `keyword=value`, `*value` (star 1) or `**value` (star 2)."""

    value: Expr
    keyword: str | None = None
    star: Literal[0, 1, 2] = 0


@dataclass(slots=True, eq=False)
class Call(Expr):
    """`func(arguments)`."""

    func: Expr
    arguments: tuple[Argument, ...]


@dataclass(slots=True, eq=False)
class BinOp(Expr):
    """`left op right`; `op` is the source's: `+ - * / // % ** @ & | ^ << >>`."""

    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class UnaryOp(Expr):
    """`op operand`; `op` is `not`, `-`, `+` or `~`."""

    op: str
    operand: Expr


@dataclass(slots=True, eq=False)
class BoolOp(Expr):
    """`left op right`, `op` being `and` or `or`."""

    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class Compare(Expr):
    """`left op1 right1 op2 right2 ...`; ops as in the source (`not in`, `is not` with one blank)."""

    left: Expr
    rest: tuple[tuple[str, Expr], ...]


@dataclass(slots=True, eq=False)
class IfExp(Expr):
    """`body if test else orelse`."""

    test: Expr
    body: Expr
    orelse: Expr


@dataclass(slots=True, eq=False)
class Slice(Expr):
    """`lower:upper:step` inside a subscript."""

    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@dataclass(slots=True, eq=False)
class Subscript(Expr):
    """`value[index]`; several items are a `Sequence` of kind tuple (with `Slice`s in it)."""

    value: Expr
    index: Expr


@dataclass(slots=True, eq=False)
class Starred(Expr):
    """`*value` in a display or a target."""

    value: Expr


@dataclass(slots=True, eq=False)
class Sequence(Expr):
    """A tuple, list or set display (or a target list)."""

    kind: Literal["tuple", "list", "set"]
    items: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class DictDisplay(Expr):
    """`{key: value, **value}`; the key of an unpacked mapping is None."""

    items: tuple[tuple[Expr | None, Expr], ...]


@dataclass(slots=True, eq=False)
class Generator(Node):
    """One `for target in iterable if condition ...` of a comprehension."""

    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Comprehension(Expr):
    """A list, set, dict comprehension or generator expression; `key` for dicts alone."""

    kind: Literal["list", "set", "dict", "generator"]
    key: Expr | None
    element: Expr
    generators: tuple[Generator, ...]


@dataclass(slots=True, eq=False)
class Lambda(Expr):
    """A lambda: a function whose body is one return statement."""

    function: FunctionDef


@dataclass(slots=True, eq=False)
class NamedExpr(Expr):
    """`target := value`."""

    target: Name
    value: Expr


@dataclass(slots=True, eq=False)
class Await(Expr):
    """`await value`."""

    value: Expr


@dataclass(slots=True, eq=False)
class Yield(Expr):
    """`yield value`, or with `delegate` `yield from value`."""

    value: Expr | None
    delegate: bool = False


@dataclass(slots=True, eq=False)
class JoinedStr(Expr):
    """An f-string or a t-string: only the expressions in it."""

    values: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class UnknownExpr(Expr):
    """An expression without a meaning here."""

    reason: str
    children: tuple[Expr, ...] = ()
