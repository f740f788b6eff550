"""`match`: the first case that holds, patterns that cannot be decided being chosen like conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lintgrad.machine import conditions, expressions, loops, members, statements
from lintgrad.machine.stops import Signal
from lintgrad.machine.values import NONE, DictV, Instance, ListV, Lit, Tensor, Value
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def run_match(m: Machine, stmt: nodes.Match) -> Signal:
    """Run the body of the first case whose pattern and guard hold."""
    subject = expressions.evaluate(m, stmt.subject)
    for case in stmt.cases:
        gain = m.effects.gain_of_block(case.body)
        if not matches(m, case.pattern, subject, gain):
            continue
        if case.guard is None or conditions.truth(m, case.guard, True, gain):
            return statements.block(m, case.body)
    return None


def matches(m: Machine, pattern: nodes.Pattern, subject: Value, gain: int) -> bool:
    """Whether `subject` matches, binding the pattern's names."""
    match pattern.kind:
        case "value" | "singleton":
            value = expressions.evaluate(m, pattern.value) if pattern.value is not None else NONE
            return conditions.compare(m, "==", subject, value, pattern, True, gain)
        case "or":
            return any(matches(m, child, subject, gain) for child in pattern.children)
        case "sequence":
            return _sequence(m, pattern, subject, gain)
        case "mapping":
            return _mapping(m, pattern, subject, gain)
        case "class":
            return _class(m, pattern, subject, gain)
        case _:
            held = all(matches(m, child, subject, gain) for child in pattern.children)
    if held and pattern.name is not None:
        m.frame.bind(pattern.name, subject)
    return held


def _all(m: Machine, pattern: nodes.Pattern, parts: Sequence[Value], gain: int) -> bool:
    """Whether each of `parts` matches the pattern's child at its place."""
    pairs = zip(pattern.children, parts, strict=False)
    return all(matches(m, child, part, gain) for child, part in pairs)


def _sequence(m: Machine, pattern: nodes.Pattern, subject: Value, gain: int) -> bool:
    count = len(pattern.children)
    star = next((k for k, child in enumerate(pattern.children) if child.kind == "star"), None)
    if isinstance(subject, (Lit, DictV)):
        return False
    if isinstance(subject, ListV) and subject.exact:
        length = len(subject.items)
        if length != count if star is None else length < count - 1:
            return False
        items = list(subject.items)
    else:
        if not conditions.choose(m, pattern, True, gain):
            return False
        items, _ = loops.elements(m, subject, pattern)
        items = [
            items[min(k, len(items) - 1)] if items else m.unknown(pattern, "element") for k in range(count)
        ]
    if star is not None:
        end = len(items) - (count - star - 1)
        items[star:end] = [
            ListV("list", items[star:end], isinstance(subject, ListV) and subject.exact, m.tick())
        ]
    return _all(m, pattern, items, gain)


def _mapping(m: Machine, pattern: nodes.Pattern, subject: Value, gain: int) -> bool:
    keys = [expressions.evaluate(m, key) for key in pattern.keys]
    if isinstance(subject, (Lit, ListV, Tensor)):
        return False
    if isinstance(subject, DictV) and subject.exact and all(isinstance(key, Lit) for key in keys):
        if not all(isinstance(key, Lit) and key.value in subject.items for key in keys):
            return False
    elif not conditions.choose(m, pattern, True, gain):
        return False
    parts = [members.item(m, subject, key, expr) for key, expr in zip(keys, pattern.keys, strict=True)]
    if not _all(m, pattern, parts, gain):
        return False
    if pattern.name is not None:
        m.frame.bind(pattern.name, _rest(m, pattern, subject, keys))
    return True


def _rest(m: Machine, pattern: nodes.Pattern, subject: Value, keys: Sequence[Value]) -> Value:
    """What `**rest` is bound to."""
    if not isinstance(subject, DictV):
        return m.unknown(pattern, "item", subject)
    taken = {key.value for key in keys if isinstance(key, Lit)}
    left = {key: value for key, value in subject.items.items() if key not in taken}
    return DictV(left, subject.exact, list(subject.rest), born=m.tick())


def _class(m: Machine, pattern: nodes.Pattern, subject: Value, gain: int) -> bool:
    if pattern.value is None:
        return False
    kind = expressions.evaluate(m, pattern.value)
    test = conditions.is_instance(m, subject, kind, pattern.value)
    if not conditions.holds(m, test, pattern, True, gain):
        return False
    positional = len(pattern.children) - len(pattern.keys)
    names = [key.value for key in pattern.keys if isinstance(key, nodes.Const)]
    own = _match_args(subject)
    if positional == 1 and not own:
        parts: list[Value] = [subject]  # `int(n)`, `str(s)`
    else:
        known = [members.read(m, subject, name, pattern) for name in own[:positional]]
        parts = known + [m.unknown(pattern, "item", subject) for _ in range(positional - len(known))]
    parts += [members.read(m, subject, str(name), pattern) for name in names]
    return _all(m, pattern, parts, gain)


def _match_args(subject: Value) -> tuple[str, ...]:
    """The attributes that a class pattern's positional children are about."""
    if not isinstance(subject, Instance):
        return ()
    named = members.class_member(subject.cls, "__match_args__")
    if isinstance(named, ListV):
        return tuple(str(one.value) for one in named.items if isinstance(one, Lit))
    return subject.cls.fields
