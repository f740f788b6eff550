"""`with`: grad modes, the program's own context managers, and unknown ones."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from lintgrad.machine import assignments, expressions, functions, members, statements
from lintgrad.machine.modes import BareContext
from lintgrad.machine.stops import GeneratorStop, Signal
from lintgrad.machine.values import NONE, ContextV, GeneratorV, Instance, LibV, Unknown, Value

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


def run_with(m: Machine, stmt: nodes.With, position: int = 0) -> Signal:
    """Enter the items from `position` on, run the body, leave in reverse."""
    if position == len(stmt.items):
        return statements.block(m, stmt.body)
    item = stmt.items[position]
    grad, off, autocast = m.grad, m.grad_off, m.autocast
    context = expressions.evaluate(m, item.context)
    if isinstance(context, GeneratorV):
        return _with_generator(m, stmt, position, context)
    entered = _enter(m, context, item)
    if item.target is not None:
        assignments.assign(m, item.target, entered, item)
    try:
        return run_with(m, stmt, position + 1)
    finally:
        if isinstance(context, ContextV) and context.grad is not None:
            m.grad, m.grad_off = grad, off
        m.autocast = autocast
        if isinstance(context, Instance):
            functions.call_method(m, context, "__exit__", item, NONE, NONE, NONE)


def _enter(m: Machine, context: Value, item: nodes.WithItem) -> Value:
    match context:
        case ContextV():
            if context.grad is not None:
                m.switch_grad(context.grad, m.site(item))
            if context.kind in ("autocast", "no autocast"):
                m.autocast = m.site(item) if context.kind == "autocast" else None
            return context.target or context
        case Instance():
            if members.class_member(context.cls, "__enter__") is not None:
                return functions.call_method(m, context, "__enter__", item) or NONE
            return context
        case LibV() if m.library.is_context(context):
            m.record(BareContext(**m.here(item.context), name=context.name))
            return context
        case Unknown():
            entered = Unknown("call", m.site(item), context.sources, foreign=context.foreign)
            entered.keeps = False
            return entered
        case _:
            return context


def _with_generator(m: Machine, stmt: nodes.With, position: int, generator: GeneratorV) -> Signal:
    """A `@contextmanager` of the program: the body runs at its yield."""
    signal: list[Signal] = [None]
    item = stmt.items[position]
    consumer = m.frame
    entered = [False]

    def at_yield(value: Value) -> bool:
        inner = m.frames
        m.frames = inner[: inner.index(consumer) + 1]
        entered[0] = True
        try:
            if item.target is not None:
                assignments.assign(m, item.target, value, item)
            signal[0] = run_with(m, stmt, position + 1)
        finally:
            m.frames = inner
        return True

    with suppress(GeneratorStop):
        functions.run_generator(m, generator, item, at_yield)
    if not entered[0]:
        return run_with(m, stmt, position + 1)
    return signal[0]
