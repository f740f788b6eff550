"""Modules that are kept by name when they are best, and stay the ones that train on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import protocol
from lintgrad.machine.modes import ModuleKept
from lintgrad.machine.values import Instance, Unknown, Value
from lintgrad.program import nodes
from lintgrad.program.improving import Keep, kept

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def note(m: Machine, stmt: nodes.If) -> None:
    """Record what `stmt` keeps of an improvement, whether or not this path finds one."""
    if m.turn is None:
        return
    known = m.program.kept.get(id(stmt))
    if known is None:
        known = m.program.kept[id(stmt)] = (stmt, kept(stmt, _scope(m)))
    for one in known[1]:
        _note(m, one)


def _scope(m: Machine) -> nodes.Block:
    """The body of the function that runs; of its class where it is a method, of the file outside of all."""
    frame = m.frame
    if frame.owner is not None and frame.receiver is not None:
        return frame.owner.definition.body
    if frame.definition is not None:
        return frame.definition.body
    module = m.program.modules.get(frame.path)
    return module.body if module is not None else ()


def _note(m: Machine, one: Keep) -> None:
    value = _peek(m, one.value)
    if value is not None and protocol.module_state(value) is not None:
        m.record(
            ModuleKept(
                **m.here(one.assign),
                name=one.target,
                leaves=list(m.leaves_of(value)),
                read=m.site(one.read),
            )
        )


def _peek(m: Machine, expr: nodes.Expr) -> Value | None:
    """What a name or an attribute of an object of the program holds."""
    if isinstance(expr, nodes.Name):
        value = m.frame.env.lookup(expr.id)
    elif isinstance(expr, nodes.Attribute):
        holder = _peek(m, expr.value)
        value = holder.members.get(expr.attr) if isinstance(holder, Instance) else None
    else:
        return None
    return value.acts_as if isinstance(value, Unknown) else value
