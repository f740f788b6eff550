"""What imported code could do, told before a branch that calls it is taken or left.

The words of a file tell what its own functions could do. What it imports has its words in another file,
which is looked up here without running anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import imports, members
from lintgrad.machine.values import ClassV, Deferred, FileV, FunctionV, Instance, Value
from lintgrad.program import nodes
from lintgrad.program.walk import descend

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def learn(m: Machine, stmt: nodes.If) -> None:
    """Tell the effects of the running file what the imported functions named in `stmt` could do."""
    if m.program.tree is None or m.effects.weighed(stmt):
        return
    for part in (*stmt.body, *stmt.orelse):
        for node in descend(part, into_functions=False):
            if isinstance(node, (nodes.Name, nodes.Attribute)):
                _learn(m, node)


def _learn(m: Machine, expr: nodes.Name | nodes.Attribute) -> None:
    value = _peek(m, expr)
    if isinstance(value, (FunctionV, ClassV)) and value.path != m.frame.path:
        name = expr.id if isinstance(expr, nodes.Name) else expr.attr
        m.effects.learn(name, m.program.effects_in(value.path).named(value.definition.name))


def _peek(m: Machine, expr: nodes.Expr) -> Value | None:
    """The value of a name or of a chain of attributes, where reading it runs nothing but definitions."""
    match expr:
        case nodes.Name():
            value = m.frame.env.lookup(expr.id)
            return imports.settle(m, value) if isinstance(value, Deferred) else value
        case nodes.Attribute():
            return _member(m, _peek(m, expr.value), expr.attr)
        case _:
            return None


def _member(m: Machine, holder: Value | None, name: str) -> Value | None:
    match holder:
        case FileV():
            return imports.member(m, holder, name)
        case Instance():
            return holder.members.get(name) or members.class_member(holder.cls, name)
        case ClassV():
            return members.class_member(holder, name)
        case _:
            return None
