"""Statements: running the program's blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lintgrad.machine import (
    assignments,
    calls,
    classes,
    conditions,
    contexts,
    exceptions,
    expressions,
    foresight,
    functions,
    imports,
    loops,
    members,
    patterns,
    snapshots,
    terms,
)
from lintgrad.machine.observations import Discarded, Uncalled
from lintgrad.machine.stops import ProgramRaise, Signal
from lintgrad.machine.values import (
    NONE,
    ExceptionV,
    Lit,
    Symbol,
    Value,
)
from lintgrad.program import nodes
from lintgrad.program.text import text

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def block(m: Machine, body: nodes.Block) -> Signal:
    """Run statements in order; says how control leaves."""
    for stmt in body:
        m.steps -= 1
        if m.steps < 0:
            m.spend(0)
        signal = _EXECUTE[type(stmt)](m, stmt)
        if signal is not None:
            return signal
    return None


def _expression(m: Machine, stmt: nodes.ExprStmt) -> Signal:
    value = stmt.value
    if isinstance(value, nodes.Attribute):
        _uncalled(m, value)
        return None
    if isinstance(value, nodes.Call) and isinstance(value.func, nodes.Attribute):
        receiver = expressions.evaluate(m, value.func.value)
        args = calls.arguments(m, value)
        result = calls.call_attribute(m, receiver, value.func, args, value)
        m.library.dropped(m, value, receiver, value.func.attr, args, result)
        return None
    expressions.evaluate(m, value)
    if isinstance(value, nodes.Compare) and isinstance(value.left, nodes.Attribute):
        if value.left.attr == "requires_grad" and value.rest[0][0] == "==":
            m.library.note_typo(m, value, "comparison", text(value.left))
    return None


def _uncalled(m: Machine, expr: nodes.Attribute) -> None:
    receiver = expressions.evaluate(m, expr.value)
    confidence = m.library.is_method(m, receiver, expr.attr)
    if confidence is not None:
        m.record(
            Uncalled(
                **m.here(expr),
                method=expr.attr,
                name=text(expr.value),
                confidence=confidence,
            )
        )


def _assign(m: Machine, stmt: nodes.Assign) -> Signal:
    value = expressions.evaluate(m, stmt.value)
    how = ""
    target = stmt.targets[0]
    if isinstance(stmt.value, nodes.BinOp) and isinstance(target, (nodes.Name, nodes.Attribute)):
        m.library.note_update(m, stmt, value)
        if same_place(target, stmt.value.left) or same_place(target, stmt.value.right):
            how = "sum"
            if isinstance(value, Lit) and m.turn is not None and not m.turn.loop.bounded:
                value = Symbol("counter", m.turn) if isinstance(value.value, (int, float)) else value
    for one in stmt.targets:
        assignments.assign(m, one, value, stmt, how)
    terms.note(m, stmt, value)
    return None


def same_place(left: nodes.Expr, right: nodes.Expr) -> bool:
    """Whether two expressions are the same dotted name."""
    if isinstance(left, nodes.Name) and isinstance(right, nodes.Name):
        return left.id == right.id
    if isinstance(left, nodes.Attribute) and isinstance(right, nodes.Attribute):
        return left.attr == right.attr and same_place(left.value, right.value)
    return False


def _augment(m: Machine, stmt: nodes.AugAssign) -> Signal:
    assignments.augment(m, stmt)
    return None


def _declare(m: Machine, stmt: nodes.Declare) -> Signal:
    return None


def _return(m: Machine, stmt: nodes.Return) -> Signal:
    m.frame.result = expressions.evaluate(m, stmt.value) if stmt.value is not None else NONE
    return "return"


def _raise(m: Machine, stmt: nodes.Raise) -> Signal:
    if stmt.exception is not None:
        raise ProgramRaise(expressions.evaluate(m, stmt.exception))
    handling = m.frame.handling
    raise ProgramRaise(handling[-1] if handling else ExceptionV("Exception"))


def _assert(m: Machine, stmt: nodes.Assert) -> Signal:
    conditions.truth(m, stmt.test, True, 0)
    return None


def _delete(m: Machine, stmt: nodes.Delete) -> Signal:
    for target in stmt.targets:
        match target:
            case nodes.Name():
                m.frame.env.names.pop(target.id, None)
            case nodes.Attribute():
                members.delete(m, expressions.evaluate(m, target.value), target.attr)
            case nodes.Subscript():
                members.delete(
                    m, expressions.evaluate(m, target.value), expressions.evaluate(m, target.index)
                )
            case nodes.Sequence():
                for item in target.items:
                    if isinstance(item, nodes.Name):
                        m.frame.env.names.pop(item.id, None)
            case _:
                pass
    return None


def _pass(m: Machine, stmt: nodes.Stmt) -> Signal:
    return None


def _break(m: Machine, stmt: nodes.Break) -> Signal:
    return "break"


def _continue(m: Machine, stmt: nodes.Continue) -> Signal:
    return "continue"


def _import(m: Machine, stmt: nodes.Import) -> Signal:
    imports.run_import(m, stmt)
    return None


def _import_from(m: Machine, stmt: nodes.ImportFrom) -> Signal:
    imports.run_import_from(m, stmt)
    return None


def _if(m: Machine, stmt: nodes.If) -> Signal:
    """An undecided branch takes the arm that goes on; the other is worth a path when it does something."""
    foresight.learn(m, stmt)
    snapshots.note(m, stmt)
    default, gain = m.effects.branch(stmt)
    m.asked_periodic = m.asked_count = m.asked_mode = False
    taken = conditions.truth(m, stmt.test, default, gain)
    for arm in (taken, not taken):
        if m.effects.steps(stmt, taken=arm):
            m.trace.step_arms[(m.site(stmt), arm)] = arm == taken or m.trace.step_arms.get(
                (m.site(stmt), arm), False
            )
    periodic, counting, mode = m.asked_periodic, m.asked_periodic or m.asked_count, m.asked_mode
    m.counting += counting
    m.periodic += periodic
    m.guarded += mode
    try:
        return block(m, stmt.body if taken else stmt.orelse)
    finally:
        m.periodic -= periodic
        m.counting -= counting
        m.guarded -= mode
        # The rest of the function belongs to one mode where the other has left it.
        m.frame.guarded = m.frame.guarded or (mode and _leaves(stmt.orelse if taken else stmt.body))


def _leaves(arm: nodes.Block) -> bool:
    return bool(arm) and isinstance(arm[-1], (nodes.Return, nodes.Raise))


def _while(m: Machine, stmt: nodes.While) -> Signal:
    signal = loops.run_while(m, stmt, lambda: block(m, stmt.body))
    return _after_loop(m, signal, stmt.orelse)


def _for(m: Machine, stmt: nodes.For) -> Signal:
    iterable = expressions.evaluate(m, stmt.iterable)

    def body(item: Value) -> Signal:
        assignments.assign(m, stmt.target, item, stmt)
        return block(m, stmt.body)

    signal = loops.walk(m, iterable, stmt, body)
    return _after_loop(m, signal, stmt.orelse)


def _after_loop(m: Machine, signal: Signal, orelse: nodes.Block) -> Signal:
    if signal == "return":
        return signal
    return block(m, orelse) if signal is None and orelse else None


def _with(m: Machine, stmt: nodes.With) -> Signal:
    return contexts.run_with(m, stmt)


def _try(m: Machine, stmt: nodes.Try) -> Signal:
    return exceptions.run_try(m, stmt)


def _function(m: Machine, stmt: nodes.FunctionDef) -> Signal:
    frame = m.frame
    owner = frame.owner if frame.env.is_class else None
    made = functions.make(m, stmt, owner)
    m.program.made[id(stmt)] = made
    frame.bind(stmt.name, classes.decorate(m, made, stmt.decorators))
    return None


def _class(m: Machine, stmt: nodes.ClassDef) -> Signal:
    cls = classes.make_class(m, stmt)
    m.frame.bind(stmt.name, classes.decorate(m, cls, stmt.decorators))
    return None


def _match(m: Machine, stmt: nodes.Match) -> Signal:
    return patterns.run_match(m, stmt)


def _unknown(m: Machine, stmt: nodes.UnknownStmt) -> Signal:
    m.remark(stmt, f"not understood: {stmt.reason}")
    for child in stmt.children:
        expressions.evaluate(m, child)
    for body in stmt.bodies:
        block(m, body)
    return None


def discarded(m: Machine, expr: nodes.Call, method: str, receiver: Value, *, graph: bool) -> None:
    """Note a call whose result is dropped although it does nothing else."""
    func = expr.func
    m.record(
        Discarded(
            **m.here(expr),
            method=method,
            receiver=receiver,
            graph=graph,
            name=text(func.value) if isinstance(func, nodes.Attribute) else "",
        )
    )


_EXECUTE: dict[type[nodes.Stmt], Callable[[Machine, Any], Signal]] = {
    nodes.ExprStmt: _expression,
    nodes.Assign: _assign,
    nodes.AugAssign: _augment,
    nodes.Declare: _declare,
    nodes.Return: _return,
    nodes.Raise: _raise,
    nodes.Assert: _assert,
    nodes.Delete: _delete,
    nodes.Pass: _pass,
    nodes.Break: _break,
    nodes.Continue: _continue,
    nodes.Import: _import,
    nodes.ImportFrom: _import_from,
    nodes.Scope: _pass,
    nodes.If: _if,
    nodes.While: _while,
    nodes.For: _for,
    nodes.With: _with,
    nodes.Try: _try,
    nodes.FunctionDef: _function,
    nodes.ClassDef: _class,
    nodes.Match: _match,
    nodes.TypeAlias: _pass,
    nodes.UnknownStmt: _unknown,
}
