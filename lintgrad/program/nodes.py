"""The lowered program's nodes.

Terms: a *place* is a dotted chain of names that a value can be read from or stored to (`x`,
`self.opt`, `cfg.train.lr`). An *origin* is the syntax node that a program node came from: opaque
here, kept so that a flagged node's line and column can be found late. *Uses* are the attribute
names that a scope reads from a place; they tell an optimizer from a scheduler where nothing else
does.

Every node is a small mutable slotted object, created once by `lintgrad.lowering` and never changed
after; nodes are compared by identity. What has no meaning here becomes `UnknownExpr` or
`UnknownStmt` with its reason, holding the children that could be lowered, and is never an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(slots=True, eq=False)
class Node:
    """Any part of the program."""

    origin: object


# --- expressions --------------------------------------------------------------------------------


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


# --- statements ---------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Stmt(Node):
    """A statement."""


Block = tuple[Stmt, ...]


@dataclass(slots=True, eq=False)
class ExprStmt(Stmt):
    """An expression whose value is dropped."""

    value: Expr


@dataclass(slots=True, eq=False)
class Assign(Stmt):
    """`target = ... = value`; an annotated assignment has its annotation."""

    targets: tuple[Expr, ...]
    value: Expr
    annotation: Expr | None = None


@dataclass(slots=True, eq=False)
class Declare(Stmt):
    """`target: annotation` without a value."""

    target: Expr
    annotation: Expr


@dataclass(slots=True, eq=False)
class AugAssign(Stmt):
    """`target op= value`; `op` without the `=`."""

    target: Expr
    op: str
    value: Expr


@dataclass(slots=True, eq=False)
class Return(Stmt):
    """`return value`."""

    value: Expr | None


@dataclass(slots=True, eq=False)
class Raise(Stmt):
    """`raise exception from cause`."""

    exception: Expr | None
    cause: Expr | None


@dataclass(slots=True, eq=False)
class Assert(Stmt):
    """`assert test, message`."""

    test: Expr
    message: Expr | None


@dataclass(slots=True, eq=False)
class Delete(Stmt):
    """`del targets`."""

    targets: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Pass(Stmt):
    """`pass`."""


@dataclass(slots=True, eq=False)
class Break(Stmt):
    """`break`."""


@dataclass(slots=True, eq=False)
class Continue(Stmt):
    """`continue`."""


@dataclass(slots=True, eq=False)
class Import(Stmt):
    """`import module as name`, one entry a name: (module, bound name, whether `as` was written)."""

    names: tuple[tuple[str, str, bool], ...]


@dataclass(slots=True, eq=False)
class ImportFrom(Stmt):
    """`from module import name as bound`; `level` counts the leading dots, `*` is the name `*`."""

    module: str
    level: int
    names: tuple[tuple[str, str], ...]


@dataclass(slots=True, eq=False)
class Scope(Stmt):
    """`global names` or `nonlocal names`."""

    kind: Literal["global", "nonlocal"]
    names: tuple[str, ...]


@dataclass(slots=True, eq=False)
class If(Stmt):
    """`if test: body else: orelse`; an `elif` is an If alone in `orelse`."""

    test: Expr
    body: Block
    orelse: Block


@dataclass(slots=True, eq=False)
class While(Stmt):
    """`while test: body else: orelse`."""

    test: Expr
    body: Block
    orelse: Block


@dataclass(slots=True, eq=False)
class For(Stmt):
    """`for target in iterable: body else: orelse`."""

    target: Expr
    iterable: Expr
    body: Block
    orelse: Block
    is_async: bool = False


@dataclass(slots=True, eq=False)
class WithItem(Node):
    """`context as target` of a with statement."""

    context: Expr
    target: Expr | None


@dataclass(slots=True, eq=False)
class With(Stmt):
    """`with items: body`."""

    items: tuple[WithItem, ...]
    body: Block
    is_async: bool = False


@dataclass(slots=True, eq=False)
class Handler(Node):
    """`except type as name: body`; `star` for `except*`."""

    type: Expr | None
    name: str | None
    body: Block
    star: bool = False


@dataclass(slots=True, eq=False)
class Try(Stmt):
    """`try: body except ...: ... else: orelse finally: final`."""

    body: Block
    handlers: tuple[Handler, ...]
    orelse: Block
    final: Block


@dataclass(slots=True, eq=False)
class Pattern(Node):
    """A pattern of a match case.

    kind: `value` (an expression to equal), `singleton` (None, True, False in `value`), `capture`
    (binds `name`, `_` being None), `sequence` and `or` (`children`), `star` (binds `name`),
    `mapping` (`children`; `name` for `**rest`), `class` (`value` is the class; `children`), `as`
    (one child, binds `name`).
    """

    kind: str
    value: Expr | None = None
    name: str | None = None
    children: tuple[Pattern, ...] = ()


@dataclass(slots=True, eq=False)
class Case(Node):
    """`case pattern if guard: body`."""

    pattern: Pattern
    guard: Expr | None
    body: Block


@dataclass(slots=True, eq=False)
class Match(Stmt):
    """`match subject: cases`."""

    subject: Expr
    cases: tuple[Case, ...]


@dataclass(slots=True, eq=False)
class Parameter(Node):
    """A parameter; kind `positional` (before `/`), `normal`, `star`, `keyword` (after `*`), `double`."""

    name: str
    kind: Literal["positional", "normal", "star", "keyword", "double"]
    default: Expr | None = None
    annotation: Expr | None = None


@dataclass(slots=True, eq=False)
class FunctionDef(Stmt):
    """A function, method or lambda (name `<lambda>`).

    `uses` maps each place of at most three names that the function reads attributes of to those
    attribute names (`"self.opt": {"step", "zero_grad"}`; a place that is called has `"()"`, one
    that is iterated over in a for loop or comprehension `"for"`, one that is subscripted `"[]"`).
    `is_generator` when a yield stands in its own body. `words` are all attribute names and called
    names in it, nested functions included: what it could possibly do.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    decorators: tuple[Expr, ...] = ()
    returns: Expr | None = None
    is_async: bool = False
    is_generator: bool = False
    globals: frozenset[str] = frozenset()
    nonlocals: frozenset[str] = frozenset()
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    words: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class ClassDef(Stmt):
    """A class; `uses` is the union over its methods, places that start with `self` alone."""

    name: str
    bases: tuple[Argument, ...]
    body: Block
    decorators: tuple[Expr, ...] = ()
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


@dataclass(slots=True, eq=False)
class TypeAlias(Stmt):
    """`type name = value`; the value is not lowered."""

    name: str


@dataclass(slots=True, eq=False)
class UnknownStmt(Stmt):
    """A statement without a meaning here."""

    reason: str
    children: tuple[Expr, ...] = ()
    bodies: tuple[Block, ...] = ()


@dataclass(slots=True, eq=False)
class Module:
    """A lowered file: its path as given, its statements, and the uses of its module level.

    `functions` and `classes` are all of the file, nested ones included, in the order of the text.
    """

    path: str
    body: Block
    uses: Mapping[str, frozenset[str]]
    functions: tuple[FunctionDef, ...]
    classes: tuple[ClassDef, ...]
