"""Expressions as the user wrote them, in short, for messages."""

from __future__ import annotations

from lintgrad.program import nodes


def text(expr: nodes.Expr) -> str:
    """A short form of `expr`: names, attributes, calls without their arguments."""
    match expr:
        case nodes.Name():
            return expr.id
        case nodes.Attribute():
            return f"{text(expr.value)}.{expr.attr}"
        case nodes.Call():
            return f"{text(expr.func)}({'...' if expr.arguments else ''})"
        case nodes.Subscript():
            return f"{text(expr.value)}[{text(expr.index)}]"
        case nodes.Const():
            return repr(expr.value)
        case _:
            return "..."
