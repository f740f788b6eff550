"""Expressions: from a program's expression to an abstract value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lintgrad.machine import (
    calls,
    conditions,
    constants,
    containers,
    functions,
    imports,
    loops,
    members,
    units,
)
from lintgrad.machine.stops import GeneratorStop
from lintgrad.machine.values import (
    FALSE,
    NONE,
    TRUE,
    Deferred,
    DictV,
    GradOf,
    LibV,
    ListV,
    Lit,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def evaluate(m: Machine, expr: nodes.Expr) -> Value:
    """The value of `expr` in the running frame."""
    return _EVALUATE[type(expr)](m, expr)


def _const(m: Machine, expr: nodes.Const) -> Value:
    return constants.literal(expr.value)


def _name(m: Machine, expr: nodes.Name) -> Value:
    value = m.frames[-1].env.lookup(expr.id)
    if value is not None:
        return imports.settle(m, value) if value.__class__ is Deferred else value
    if expr.id in functions.BUILTINS:
        return LibV("builtins." + expr.id)
    value = m.unknown(expr, "unbound", foreign=True, place=expr.id)
    module = m.frames[-1].env.module or m.frames[-1].env
    inferred = m.library.infer(m, expr.id, m.frames[-1].uses_of(expr.id), value)
    module.names[expr.id] = inferred or value
    return inferred or value


def _attribute(m: Machine, expr: nodes.Attribute) -> Value:
    return members.read(m, evaluate(m, expr.value), expr.attr, expr)


def _call(m: Machine, expr: nodes.Call) -> Value:
    return calls.call(m, expr)


def _binary(m: Machine, expr: nodes.BinOp) -> Value:
    return binary(m, expr.op, evaluate(m, expr.left), evaluate(m, expr.right), expr)


def binary(m: Machine, op: str, left: Value, right: Value, node: nodes.Node) -> Value:
    """`left op right`."""
    if isinstance(left, Lit) and isinstance(right, Lit):
        made = constants.binary(op, left.value, right.value) or m.unknown(node, "arithmetic")
        return units.derive(m, op, made, left, right)
    if isinstance(left, (Tensor, GradOf)) or isinstance(right, (Tensor, GradOf)):
        found = m.library.binary(m, op, left, right, node)  # type: ignore[arg-type]
        if found is not None:
            return found
    if isinstance(left, ListV):
        joined = _lists(m, op, left, right)
        if joined is not None:
            return joined
    if isinstance(left, DictV) and isinstance(right, DictV) and op == "|":
        return DictV(
            {**left.items, **right.items},
            left.exact and right.exact,
            [*left.rest, *right.rest][-members.MAX_REST :],
            born=m.tick(),
        )
    if isinstance(left, Symbol) or isinstance(right, Symbol):
        number = _symbols(m, op, left, right)
        if number is not None:
            return units.derive(m, op, number, left, right)
    if (isinstance(left, Unknown) and left.sources) or (isinstance(right, Unknown) and right.sources):
        found = m.library.binary(m, op, left, right, node)  # type: ignore[arg-type]
        if found is not None:
            return found
    result = m.unknown(node, "arithmetic", left, right)
    result.foreign = any(isinstance(v, Unknown) and v.foreign for v in (left, right))
    return units.derive(m, op, result, left, right)


def _lists(m: Machine, op: str, left: ListV, right: Value) -> Value | None:
    if op == "+" and isinstance(right, ListV):
        return containers.joined(m, left.kind, [*left.items, *right.items], left.exact and right.exact)
    if op == "*" and isinstance(right, Lit) and isinstance(right.value, int) and right.value <= 4:
        return containers.joined(m, left.kind, left.items * right.value, left.exact)
    if op == "*":
        return containers.joined(m, left.kind, left.items * 2, exact=False)
    return containers.joined(m, left.kind, list(left.items), exact=False) if op == "+" else None


def _symbols(m: Machine, op: str, left: Value, right: Value) -> Value | None:
    """Arithmetic on an index keeps what is known of it."""
    if isinstance(left, Symbol) and left.kind in ("index", "counter"):
        if op in ("+", "-") and isinstance(right, Lit) and isinstance(right.value, int):
            shift = right.value if op == "+" else -right.value
            return Symbol(left.kind, left.turn, left.offset + shift)
        if op == "%":
            return Symbol("periodic", left.turn, left.offset, right)
    if isinstance(right, Symbol) and right.kind in ("index", "counter") and op == "+":
        return _symbols(m, op, right, left) if isinstance(left, Lit) else Symbol("number")
    numbers = all(isinstance(v, (Symbol, Lit, Unknown)) for v in (left, right))
    if not numbers or m.sources(left, right):
        return None
    return Symbol("number", cut=next((v.cut for v in (left, right) if isinstance(v, Symbol) and v.cut), None))


def _unary(m: Machine, expr: nodes.UnaryOp) -> Value:
    if expr.op == "not":
        return _boolean(m, expr)
    value = evaluate(m, expr.operand)
    if isinstance(value, Lit):
        return constants.unary(expr.op, value.value) or m.unknown(expr, "arithmetic")
    if isinstance(value, (Tensor, GradOf)):
        found = m.library.method(
            m, value, {"-": "neg", "~": "logical_not"}.get(expr.op, "positive"), calls.no_arguments(), expr
        )
        return found or value
    if isinstance(value, Symbol):
        return Symbol("number")
    result = m.unknown(expr, "arithmetic", value)
    result.foreign = isinstance(value, Unknown) and value.foreign
    return result


def _boolop(m: Machine, expr: nodes.BoolOp) -> Value:
    """`and`, `or`: the operand that decides, as Python gives it."""
    left = evaluate(m, expr.left)
    if isinstance(left, Lit) or not isinstance(left, (Unknown, Tensor, Symbol, GradOf)):
        decided = conditions.holds(m, left, expr.left)
        return left if decided == (expr.op == "or") else evaluate(m, expr.right)
    if isinstance(expr.left, nodes.Compare) or isinstance(left, Symbol):
        evaluate(m, expr.right)
        return m.unknown(expr, "boolean")
    decided = conditions.holds(m, left, expr.left, expr.op == "and" or isinstance(left, Unknown), 1)
    return left if decided == (expr.op == "or") else evaluate(m, expr.right)


def _boolean(m: Machine, expr: nodes.Expr) -> Value:
    """A condition used as a value: kept open, so that it is decided where it is asked."""
    if isinstance(expr, nodes.UnaryOp):
        inner = evaluate(m, expr.operand)
        if isinstance(inner, (Unknown, Tensor, Symbol, GradOf)):
            return m.unknown(expr, "boolean")
        return FALSE if conditions.holds(m, inner, expr.operand) else TRUE
    return m.unknown(expr, "boolean")


def _compare(m: Machine, expr: nodes.Compare) -> Value:
    """A comparison used as a value: exact for constants, a tensor for tensors, open otherwise."""
    values = [evaluate(m, expr.left), *(evaluate(m, right) for _, right in expr.rest)]
    op = expr.rest[0][0]
    if len(values) == 2:
        left, right = values
        known = isinstance(left, Lit) and isinstance(right, Lit)
        is_none = op in ("is", "is not") and isinstance(right, Lit) and not isinstance(left, Unknown)
        if known or is_none or (op in ("is", "is not") and not isinstance(left, (Unknown, Lit))):
            return TRUE if conditions.compare(m, op, left, right, expr, True, 0) else FALSE
    if op not in ("is", "is not", "in", "not in") and any(isinstance(v, (Tensor, GradOf)) for v in values):
        found = m.library.binary(m, op, values[0], values[1], expr)
        if found is not None:
            return found
    exact = conditions.first_turn(values[0], values[1], op) if len(values) == 2 else None
    if exact is not None:
        return TRUE if exact else FALSE
    if any(isinstance(v, Symbol) and v.kind == "periodic" for v in values):
        return m.unknown(expr, "periodic")
    made = m.unknown(expr, "boolean")
    made.place = conditions.COUNT if any(conditions.counts(v) for v in values) else ""
    return made


def _ifexp(m: Machine, expr: nodes.IfExp) -> Value:
    gain = m.effects.gain_of_expressions(expr.body, expr.orelse)
    m.asked_mode = False
    taken = conditions.truth(m, expr.test, True, gain)
    mode = m.asked_mode
    m.guarded += mode
    try:
        return evaluate(m, expr.body if taken else expr.orelse)
    finally:
        m.guarded -= mode


def _subscript(m: Machine, expr: nodes.Subscript) -> Value:
    return members.item(m, evaluate(m, expr.value), evaluate(m, expr.index), expr)


def _slice(m: Machine, expr: nodes.Slice) -> Value:
    parts = [evaluate(m, part) if part is not None else NONE for part in (expr.lower, expr.upper, expr.step)]
    return ListV("tuple", [LibV("builtins.slice"), *parts])


def _starred(m: Machine, expr: nodes.Starred) -> Value:
    return evaluate(m, expr.value)


def _sequence(m: Machine, expr: nodes.Sequence) -> Value:
    items: list[Value] = []
    exact = True
    for item in expr.items:
        if isinstance(item, nodes.Starred):
            more, all_of = loops.elements(m, evaluate(m, item.value), item)
            items += more
            exact = exact and all_of
        else:
            items.append(evaluate(m, item))
    return ListV(expr.kind, items, exact, m.tick())


def _dict(m: Machine, expr: nodes.DictDisplay) -> Value:
    result = DictV({}, born=m.tick())
    for key, item in expr.items:
        value = evaluate(m, item)
        if key is None:
            members.update_dict(result, value)
            continue
        name = evaluate(m, key)
        if isinstance(name, Lit):
            result.items[name.value] = value
        else:
            result.rest.append(value)
            result.exact = False
    return result


def _comprehension(m: Machine, expr: nodes.Comprehension) -> Value:
    return loops.comprehension(m, expr)


def _lambda(m: Machine, expr: nodes.Lambda) -> Value:
    return functions.make(m, expr.function)


def _named(m: Machine, expr: nodes.NamedExpr) -> Value:
    from lintgrad.machine import assignments

    value = evaluate(m, expr.value)
    frame = m.frame
    inner = frame.env
    while frame.env.of_comprehension and frame.env.outer is not None:
        frame.env = frame.env.outer  # the name is bound in the scope around the comprehension
    try:
        assignments.assign(m, expr.target, value, expr)
    finally:
        frame.env = inner
    return value


def _await(m: Machine, expr: nodes.Await) -> Value:
    return evaluate(m, expr.value)


def _yield(m: Machine, expr: nodes.Yield) -> Value:
    value = evaluate(m, expr.value) if expr.value is not None else NONE
    frame = m.frame
    if frame.on_yield is None:
        m.escape(value)
    elif expr.delegate:
        consumer = frame.on_yield
        loops.walk(m, value, expr, lambda item: None if consumer(item) else "break")
    elif not frame.on_yield(value):
        raise GeneratorStop
    return m.unknown(expr, "sent")


def _joined(m: Machine, expr: nodes.JoinedStr) -> Value:
    for value in expr.values:
        calls.read_gradients(evaluate(m, value))
    return m.unknown(expr, "text")


def _unknown_expr(m: Machine, expr: nodes.UnknownExpr) -> Value:
    m.remark(expr, f"not understood: {expr.reason}")
    return m.unknown(expr, expr.reason, *(evaluate(m, child) for child in expr.children))


_EVALUATE: dict[type[nodes.Expr], Callable[[Machine, Any], Value]] = {
    nodes.Const: _const,
    nodes.Name: _name,
    nodes.Attribute: _attribute,
    nodes.Call: _call,
    nodes.BinOp: _binary,
    nodes.UnaryOp: _unary,
    nodes.BoolOp: _boolop,
    nodes.Compare: _compare,
    nodes.IfExp: _ifexp,
    nodes.Subscript: _subscript,
    nodes.Slice: _slice,
    nodes.Starred: _starred,
    nodes.Sequence: _sequence,
    nodes.DictDisplay: _dict,
    nodes.Comprehension: _comprehension,
    nodes.Lambda: _lambda,
    nodes.NamedExpr: _named,
    nodes.Await: _await,
    nodes.Yield: _yield,
    nodes.JoinedStr: _joined,
    nodes.UnknownExpr: _unknown_expr,
}
