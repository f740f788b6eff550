"""`match`: the first case that holds, patterns that cannot be decided being chosen like conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import conditions, expressions, loops, members, statements
from lintgrad.machine.stops import Signal
from lintgrad.machine.values import DictV, ListV, Lit, Value

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


def run_match(m: Machine, stmt: nodes.Match) -> Signal:
    """Run the body of the first case whose pattern and guard hold."""
    subject = expressions.evaluate(m, stmt.subject)
    for case in stmt.cases:
        gain = m.program.effects.gain_of_block(case.body)
        if not matches(m, case.pattern, subject, gain):
            continue
        if case.guard is None or conditions.truth(m, case.guard, True, gain):
            return statements.block(m, case.body)
    return None


def matches(m: Machine, pattern: nodes.Pattern, subject: Value, gain: int) -> bool:
    """Whether `subject` matches, binding the pattern's names."""
    match pattern.kind:
        case "value" | "singleton":
            value = expressions.evaluate(m, pattern.value) if pattern.value is not None else Lit(None)
            return conditions.compare(m, "==", subject, value, pattern, True, gain)
        case "or":
            return any(matches(m, child, subject, gain) for child in pattern.children)
        case "as":
            held = all(matches(m, child, subject, gain) for child in pattern.children)
        case "sequence":
            return _sequence(m, pattern, subject, gain)
        case "mapping" | "class":
            return _parts(m, pattern, subject, gain)
        case _:
            held = True
    if held and pattern.name is not None:
        m.frame.bind(pattern.name, subject)
    return held


def _sequence(m: Machine, pattern: nodes.Pattern, subject: Value, gain: int) -> bool:
    starred = any(child.kind == "star" for child in pattern.children)
    if isinstance(subject, Lit | DictV):
        return False
    if (
        isinstance(subject, ListV)
        and subject.exact
        and not starred
        and len(subject.items) != len(pattern.children)
    ):
        return False
    if not (isinstance(subject, ListV) and subject.exact) and not conditions.choose(m, pattern, True, gain):
        return False
    items, _ = loops.elements(m, subject, pattern)
    for position, child in enumerate(pattern.children):
        value = items[min(position, len(items) - 1)] if items else m.unknown(pattern, "element")
        if not matches(m, child, value, gain):
            return False
    return True


def _parts(m: Machine, pattern: nodes.Pattern, subject: Value, gain: int) -> bool:
    if pattern.kind == "class" and pattern.value is not None:
        kind = expressions.evaluate(m, pattern.value)
        test = conditions.is_instance(m, subject, kind, pattern.value)
        if not conditions.holds(m, test, pattern, True, gain):
            return False
    elif not conditions.choose(m, pattern, True, gain):
        return False
    for position, child in enumerate(pattern.children):
        part = members.item(m, subject, Lit(position), pattern)  # type: ignore[arg-type]
        if not matches(m, child, part, gain):
            return False
    return True
