"""Statements of the lowered program; see `lintgrad.program.nodes`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from lintgrad.program.exprs import Argument, Expr, Node


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
    (one child, binds `name`). `keys` belong to the last of the `children`, in their order: those of a
    mapping, or the names of a class pattern's keywords.
    """

    kind: str
    value: Expr | None = None
    name: str | None = None
    children: tuple[Pattern, ...] = ()
    keys: tuple[Expr, ...] = ()


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
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict)
    words: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class ClassDef(Stmt):
    """A class; `uses` is the union over its methods, places that start with `self` alone."""

    name: str
    bases: tuple[Argument, ...]
    body: Block
    decorators: tuple[Expr, ...] = ()
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict)


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
