"""Conditions: decided where the program decides them, else chosen once and remembered."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lintgrad.machine import expressions
from lintgrad.machine.values import (
    FALSE,
    TRUE,
    ClassV,
    DictV,
    GradOf,
    Instance,
    LibV,
    ListV,
    Lit,
    Mode,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

_PYTHON: dict[str, Callable[[Any, Any], object]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}
_NEGATED = {"!=": "==", "is not": "is", "not in": "in", ">=": "<", "<=": ">"}


COUNT = "count()"
"""The place of what a comparison of a count gave: a name that no attribute can have."""


def counts(value: Value) -> bool:
    """Whether a number is a count of turns, or made of numbers alone and no tensor."""
    return isinstance(value, Symbol) and (
        value.kind in ("counter", "periodic") or (value.kind == "number" and value.cut is None)
    )


def truth(m: Machine, test: nodes.Expr, default: bool = True, gain: int = 0) -> bool:
    """Whether `test` holds on this path.

    An undecided condition takes `default`; `gain` says how much the other way is worth a path of
    its own (see `choices`).
    """
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        return not truth(m, test.operand, not default, gain)
    if isinstance(test, nodes.BoolOp):
        left = truth(m, test.left, default, gain)
        if left == (test.op == "or"):
            return left
        return truth(m, test.right, default, gain)
    if isinstance(test, nodes.Compare):
        left_value = expressions.evaluate(m, test.left)
        for op, right in test.rest:
            right_value = expressions.evaluate(m, right)
            if not compare(m, op, left_value, right_value, test, default, gain):
                return False
            left_value = right_value
        return True
    return holds(m, expressions.evaluate(m, test), test, default, gain)


def holds(m: Machine, value: Value, test: nodes.Node, default: bool = True, gain: int = 0) -> bool:
    """Whether `value` is true."""
    value = _setting(m, value)
    match value:
        case Lit():
            m.asked_mode = m.asked_mode or isinstance(value, Mode)
            return bool(value.value)
        case ListV():
            if value.exact or value.items:
                return bool(value.items)
            return choose(m, test, default, gain)
        case DictV() if value.exact or value.items:
            return bool(value.items) or bool(value.rest)
        case Unknown() if value.acts_as is None or isinstance(value.acts_as, Tensor):
            m.asked_periodic = m.asked_periodic or value.reason == "periodic"
            m.asked_count = m.asked_count or value.place == COUNT
            m.asked_mode = m.asked_mode or value.reason == "training"
            return _remembered(m, value.facts, "true", test, default, gain)
        case Symbol():
            return not compare(m, "==", value, Lit(0), test, not default, gain)
        case GradOf():
            return bool(value.leaf.gradients) or choose(m, test, True, 0)
        case Tensor() | DictV():
            return choose(m, test, default, gain)
        case _:
            return True


def _setting(m: Machine, value: Value) -> Value:
    """What a module that is not seen calls `USE_GAN` or `use_gan` is a setting: the same all along a path."""
    if not isinstance(value, LibV) or "." not in value.name or m.library.owns(value.name):
        return value
    last = value.name.rpartition(".")[2]
    if last[:1].isupper() and not last.isupper():
        return value  # a class
    return m.outside.setdefault(value.name, Unknown("option", place=value.name))


def choose(m: Machine, test: nodes.Node, default: bool, gain: int) -> bool:
    """Decide an undecided condition for this path."""
    turn = m.turn.index if m.turn is not None else -1
    outcome = m.choices.decide((id(test), turn, len(m.stack)), default, gain)
    m.trace.assumed.append((m.site(test), outcome))
    return outcome


def _remembered(
    m: Machine, facts: dict[str, bool], key: str, test: nodes.Node, default: bool, gain: int
) -> bool:
    known = facts.get(key)
    if known is None:
        known = facts[key] = choose(m, test, default, gain)
        m.decided[id(facts), key] = m.choices.taken[-1]
    elif gain:
        _worth(m, facts, key, gain)
    return known


def _worth(m: Machine, facts: dict[str, bool], key: str, gain: int) -> None:
    """What was decided where little hung on it is asked again where more does."""
    choice = m.decided.get((id(facts), key))
    if choice is not None and choice.gain < gain:
        choice.gain = gain


def compare(
    m: Machine, op: str, left: Value, right: Value, test: nodes.Node, default: bool, gain: int
) -> bool:
    """`left op right` on this path."""
    left, right = _setting(m, left), _setting(m, right)
    if isinstance(left, Lit) and isinstance(right, Lit):
        m.asked_mode = m.asked_mode or isinstance(left, Mode)
        return _constant(op, left, right, m, test, default, gain)
    positive = _NEGATED.get(op)
    if positive is not None:
        return not compare(m, positive, left, right, test, not default, gain)
    if op in ("is", "==") and isinstance(right, Lit) and right.value is None:
        return _is_none(m, left, test, default, gain)
    if op in ("is", "==") and left is right:
        return True
    if isinstance(left, Lit) and isinstance(right, (Symbol, Unknown)) and op in ("==", "is", "<", ">"):
        left, right, op = right, left, {"<": ">", ">": "<"}.get(op, op)
    if isinstance(left, Symbol):
        return _symbol(m, op, left, right, test, default, gain)
    if op == "in":
        return _contains(m, left, right, test, default, gain)
    if isinstance(left, Unknown):
        return _unknown(m, op, left, right, test, default, gain)
    if op == "is" and not isinstance(right, Unknown):
        return False
    return choose(m, test, default, gain)


def _constant(op: str, left: Lit, right: Lit, m: Machine, test: nodes.Node, default: bool, gain: int) -> bool:
    if op in ("is", "is not"):
        op = "==" if op == "is" else "!="
        if (left.value is None) != (right.value is None):
            return op == "!="
    try:
        return bool(_PYTHON[op](left.value, right.value))
    except (TypeError, ValueError):
        return choose(m, test, default, gain)


def _is_none(m: Machine, left: Value, test: nodes.Node, default: bool, gain: int) -> bool:
    """A value of a known kind is not None; an unknown one is what its path assumes."""
    if isinstance(left, Lit):
        return left.value is None
    if isinstance(left, Unknown) and left.acts_as is None:
        return _remembered(m, left.facts, "none", test, default and left.reason == "optional", gain)
    if isinstance(left, GradOf):
        return (
            not left.leaf.gradients
            and not left.leaf.zeroed
            and not left.leaf.opaque
            and left.leaf.touched < 0
        )
    return False


def _symbol(
    m: Machine, op: str, left: Symbol, right: Value, test: nodes.Node, default: bool, gain: int
) -> bool:
    """Compare a number that differs from turn to turn; the same question in one turn has one answer."""
    turn = left.turn
    m.asked_periodic = m.asked_periodic or left.kind == "periodic"
    m.asked_count = m.asked_count or counts(left)
    m.trace.asked_last = m.trace.asked_last or (left.kind == "index" and not isinstance(right, Lit))
    exact = _first_turn(left, right, op)
    if exact is not None:
        return exact
    key = (left.kind, left.offset, _identity(left.modulus), op, _identity(right))
    if turn is None or left.kind == "number":
        return _remembered(m, left.facts, repr(key), test, default, gain)
    known = turn.memo.get(key)
    if known is None:
        known = turn.memo[key] = _later_turn(m, op, left, right, test, default, gain)
    return known


def _identity(value: Value | None) -> object:
    return ("lit", value.value) if isinstance(value, Lit) else id(value)


def _first_turn(left: Symbol, right: Value, op: str) -> bool | None:
    """The answer where the first turn's number is known exactly."""
    if left.kind in ("counter", "number") or left.turn is None or left.turn.index > 0:
        return None
    number = left.offset
    if left.kind == "periodic":
        if isinstance(left.modulus, Lit) and isinstance(left.modulus.value, int) and left.modulus.value:
            number %= left.modulus.value
        elif number != 0 and isinstance(right, Lit) and right.value == 0:
            return op not in ("==", "is")
    if isinstance(right, Lit) and isinstance(right.value, (int, float)):
        return bool(_PYTHON[op](number, right.value)) if op in _PYTHON else None
    if left.kind == "index":  # against a number that is not known, which is taken as larger
        return {"==": False, "is": False, "<": True, "<=": True, ">": False}.get(op)
    return False if op == "==" else None


def first_turn(left: Value, right: Value, op: str) -> bool | None:
    """`left op right` where the first turn of a loop decides it; None elsewhere."""
    if not isinstance(left, Symbol):
        return None
    positive = _NEGATED.get(op)
    exact = _first_turn(left, right, positive or op)
    return exact if exact is None or positive is None else not exact


def _later_turn(
    m: Machine, op: str, left: Symbol, right: Value, test: nodes.Node, default: bool, gain: int
) -> bool:
    """An index of a later turn stands for all the later numbers."""
    if left.kind == "index" and isinstance(right, Lit) and isinstance(right.value, (int, float)):
        least = left.offset + 1
        if right.value < least and op in ("==", "is", "<"):
            return False
        if right.value < least and op == ">":
            return True
    if left.kind == "periodic" and isinstance(left.modulus, Lit) and left.modulus.value == 1:
        return bool(_PYTHON[op](0, right.value)) if isinstance(right, Lit) and op in _PYTHON else default
    return choose(m, test, default, gain)


def _contains(m: Machine, left: Value, right: Value, test: nodes.Node, default: bool, gain: int) -> bool:
    if isinstance(right, ListV) and right.exact:
        if any(item is left for item in right.items):
            return True
        if isinstance(left, Lit) and all(isinstance(item, Lit) for item in right.items):
            return any(isinstance(i, Lit) and i.value == left.value for i in right.items)
        if isinstance(left, Unknown) and right.items and all(isinstance(i, Lit) for i in right.items):
            key = "in:" + repr([i.value for i in right.items if isinstance(i, Lit)])
            return _remembered(m, left.facts, key, test, default, gain)
    if isinstance(right, DictV) and right.exact and isinstance(left, Lit):
        return left.value in right.items
    if isinstance(right, Unknown):
        return _remembered(m, right.facts, f"has:{_identity(left)!r}", test, default, gain)
    return choose(m, test, default, gain)


def _unknown(
    m: Machine, op: str, left: Unknown, right: Value, test: nodes.Node, default: bool, gain: int
) -> bool:
    """Facts of one unknown agree with each other: what equals one constant equals no other."""
    key = f"{'==' if op == 'is' else op}:{_identity(right)!r}"
    known = left.facts.get(key)
    if known is None and key.startswith("==:('lit'"):
        if any(f.startswith("==:('lit'") and yes for f, yes in left.facts.items()):
            return False
    if known is None:
        known = left.facts[key] = choose(m, test, default, gain)
        m.decided[id(left.facts), key] = m.choices.taken[-1]
    elif gain:
        _worth(m, left.facts, key, gain)
    return known


def is_instance(m: Machine, value: Value, kind: Value, test: nodes.Expr) -> Value:
    """`isinstance(value, kind)`: TRUE, FALSE, or an unknown that is decided when it is asked."""
    if isinstance(kind, ListV):
        m.spend()
        answers = [is_instance(m, value, one, test) for one in kind.items]
        if TRUE in answers:
            return TRUE
        return FALSE if answers and all(a is FALSE for a in answers) else m.unknown(test, "isinstance")
    if isinstance(value, Instance) and isinstance(kind, ClassV):
        return TRUE if any(one is kind for one in value.cls.order) else FALSE
    name = getattr(kind, "name", "").rsplit(".", 1)[-1]
    if isinstance(value, Lit):
        return TRUE if type(value.value).__name__ == name else FALSE
    if isinstance(value, ListV):
        return TRUE if value.kind == name else FALSE
    if isinstance(value, DictV):
        return TRUE if name in ("dict", "Mapping", "OrderedDict", "defaultdict") else FALSE
    if isinstance(value, Tensor) and name in ("Tensor", "tuple", "list", "dict", "str", "int", "float"):
        return TRUE if name == "Tensor" else FALSE
    return m.unknown(test, "isinstance")
