"""What the machine asks of a library of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lintgrad.diagnostics import Confidence
    from lintgrad.machine.machine import Machine
    from lintgrad.machine.values import Arguments, Instance, LibV, Value
    from lintgrad.program import nodes


class Library(Protocol):
    """The behaviour of everything that is not code of the program.

    Each method answers None where it does not know; the machine then takes the cautious way.
    """

    def call(self, m: Machine, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
        """Call the function or class with the qualified name `name`."""

    def method(
        self, m: Machine, receiver: Value, name: str, args: Arguments, node: nodes.Expr
    ) -> Value | None:
        """Call method `name` of `receiver`."""

    def is_entry(self, cls: nodes.ClassDef, method: str) -> bool:
        """Whether a framework's loop may call this method of `cls` (see `drive`)."""

    def drive(self, m: Machine, instance: Instance, method: nodes.FunctionDef) -> bool:
        """Run `instance` in the loop of the framework that calls its `method`; False where none does."""

    def invoke(self, m: Machine, callee: Value, args: Arguments, node: nodes.Expr) -> Value | None:
        """Call the object `callee` itself: a module, an optimizer, an unknown."""

    def entered(self, m: Machine, callee: Instance, args: Arguments, node: nodes.Expr) -> None:
        """Note a call of the module `callee`, whose forward is the program's own and is run next."""

    def attribute(self, m: Machine, receiver: Value, name: str, node: nodes.Node) -> Value | None:
        """Read attribute `name` of `receiver`."""

    def store(self, m: Machine, receiver: Value, name: str, value: Value, node: nodes.Node) -> bool:
        """Write attribute `name` of `receiver`; False lets the machine do it."""

    def binary(self, m: Machine, op: str, left: Value, right: Value, node: nodes.Expr) -> Value | None:
        """`left op right` where a tensor is among them."""

    def augmented(self, m: Machine, op: str, left: Value, right: Value, node: nodes.Stmt) -> Value | None:
        """`left op= right` where `left` is a tensor: an in-place operation."""

    def item(self, m: Machine, receiver: Value, index: Value, node: nodes.Expr) -> Value | None:
        """`receiver[index]`."""

    def store_item(self, m: Machine, receiver: Value, index: Value, value: Value, node: nodes.Node) -> bool:
        """`receiver[index] = value`; False lets the machine do it."""

    def elements(self, m: Machine, iterable: Value, node: nodes.Node) -> tuple[list[Value], bool] | None:
        """The elements of `iterable`, and whether these are all (False: they stand for many)."""

    def is_plain_module(self, base: LibV) -> bool:
        """Whether `base` is the class of all modules, with nothing of its own but a constructor."""

    def is_context(self, value: LibV) -> bool:
        """Whether `value` makes a context manager when it is called, and is none itself."""

    def is_module(self, base: LibV) -> bool:
        """Whether classes derived from `base` are nn.Modules."""

    def infer(self, m: Machine, place: str, uses: frozenset[str], value: Value) -> Value | None:
        """The kind of a value of which only its uses and its place's name are known."""

    def annotated(self, m: Machine, annotation: str, place: str) -> Value | None:
        """A value of the annotated kind."""

    def dropped(
        self, m: Machine, expr: nodes.Call, receiver: Value, name: str, args: Arguments, result: Value
    ) -> None:
        """A call `receiver.name(...)` stood as a statement: its result is dropped."""

    def is_method(self, m: Machine, receiver: Value, name: str) -> Confidence | None:
        """How sure it is that `receiver.name` is a method that only works when called; None: it is not."""

    def owns(self, module: str) -> bool:
        """Whether the module is a library's that has models: no file of the tree stands for it."""

    def exports(self, module: str) -> tuple[str, ...]:
        """The names that `from module import *` binds."""

    def imported(self, name: str) -> Value | None:
        """The value of an imported name that is more than a name of a library."""

    def is_instance(self, m: Machine, value: Value, kind: Value) -> bool | None:
        """Whether `value` is an instance of the library class `kind`."""

    def note_update(self, m: Machine, stmt: nodes.Assign, value: Value) -> None:
        """`target = left op right` stood as a statement, its value computed and not yet stored."""

    def note_typo(self, m: Machine, node: nodes.Node, how: str, written: str) -> None:
        """A statement was meant to set requires_grad and does not."""

    def read_number(self, m: Machine, value: Value, node: nodes.Node) -> None:
        """`float(value)`, `int(value)`."""
