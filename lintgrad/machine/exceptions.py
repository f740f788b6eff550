"""`try`: which handler takes what the program itself raises.

What a library could raise is not followed: its calls are taken to succeed.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from lintgrad.machine import expressions, statements
from lintgrad.machine.stops import ProgramRaise, Signal
from lintgrad.machine.values import ClassV, ExceptionV, Instance, LibV, ListV, Value

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

ANYTHING = "?"


def run_try(m: Machine, stmt: nodes.Try) -> Signal:
    """Run a `try` statement; what `finally` does itself (return, break) goes before all else."""
    try:
        signal = _guarded(m, stmt)
    except ProgramRaise:
        final = statements.block(m, stmt.final)
        if final is None:
            raise
        return final
    return statements.block(m, stmt.final) or signal


def _guarded(m: Machine, stmt: nodes.Try) -> Signal:
    try:
        signal = statements.block(m, stmt.body)
    except ProgramRaise as raised:
        handler = _handler_for(m, stmt, raised.value)
        if handler is None:
            raise
        return _handle(m, handler, raised.value)
    return signal or statements.block(m, stmt.orelse)


def _handle(m: Machine, handler: nodes.Handler, value: Value) -> Signal:
    """Run a handler's body, in which a bare `raise` raises `value` again."""
    if handler.name is not None:
        m.frame.bind(handler.name, value)
    handling = m.frame.handling
    handling.append(value)
    try:
        return statements.block(m, handler.body)
    finally:
        handling.pop()


def _handler_for(m: Machine, stmt: nodes.Try, value: Value) -> nodes.Handler | None:
    kinds = _kinds(value)
    for handler in stmt.handlers:
        if handler.type is None or (handler.star and "BaseExceptionGroup" in kinds):
            return handler  # what is in a group is not known
        types = expressions.evaluate(m, handler.type)
        for one in types.items if isinstance(types, ListV) else [types]:
            caught = _name(one)
            if caught == ANYTHING or caught in kinds:
                return handler
    return None


def _kinds(value: Value) -> frozenset[str]:
    """The names of all classes that an exception is an instance of."""
    cls = value.cls if isinstance(value, Instance) else value
    classes = cls.order if isinstance(cls, ClassV) else (cls,)
    names: set[str] = set()
    for one in classes:
        names |= _and_bases(_name(one))
    return frozenset(names)


def _and_bases(name: str) -> set[str]:
    """`name` and the bases that it has in Python; another library's exception is an `Exception`."""
    if name in ("ExceptionGroup", "BaseExceptionGroup"):  # from Python 3.11 on
        return {name, "BaseExceptionGroup", "Exception", "BaseException"}
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, BaseException):
        return {base.__name__ for base in known.__mro__}
    return {name, "Exception", "BaseException"}


def _name(value: Value) -> str:
    match value:
        case ExceptionV():
            return value.kind
        case LibV():
            return value.name.rsplit(".", 1)[-1]
        case ClassV():
            return value.definition.name
        case Instance():
            return value.cls.definition.name
        case _:
            return ANYTHING
