"""Loops: what is walked, turn by turn; comprehensions; generators."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from lintgrad.machine import assignments, conditions, expressions, keeping
from lintgrad.machine.stops import GeneratorStop, Signal
from lintgrad.machine.turns import Activation, Turn, chain
from lintgrad.machine.values import (
    DictV,
    GeneratorV,
    Instance,
    Iterator,
    ListV,
    Lit,
    ModuleV,
    Range,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

TURNS = 2
DATA = re.compile(
    r"load|data|batch|train|test|val|iter|set$|sample|corpus|_dl$|env|pair|sent|epoch", re.IGNORECASE
)
MAX_ELEMENTS = 6
MAX_PARAMETERS = 64


def walk(m: Machine, iterable: Value, node: nodes.Node, body: Callable[[Value], Signal]) -> Signal:
    """Run `body` for each element of `iterable`, each in a turn of its own.

    A known short list is walked whole; anything else has two turns that stand for many. Returns
    `break`, `return`, or None when the loop ran to its end.
    """
    if isinstance(iterable, GeneratorV):
        return _walk_generator(m, iterable, node, body)
    if isinstance(iterable, Iterator) and isinstance(iterable.source, GeneratorV):
        return _walk_generator(m, iterable.source, node, body)
    items, bounded = elements(m, iterable, node)
    loop = Activation(m.site(node), bounded, m.tick())
    if isinstance(iterable, Range) and iterable.kind == "range":
        loop.count = iterable.parts[-1] if len(iterable.parts) > 1 else None
    outer = m.turn
    if not bounded and repeated(outer) and not any(map(_is_object, items)):
        del items[1:]
    keeping.enter(m, loop)
    try:
        for index, item in enumerate(items):
            m.spend()  # a comprehension has no statements that would be counted
            m.turn = Turn(loop, index, outer)
            signal = body(_at_turn(item, m.turn))
            if signal in ("break", "return"):
                return signal
        return None
    finally:
        keeping.leave(m, loop)
        m.turn = outer


def _is_object(item: Value) -> bool:
    """Whether `item` is something whose own state the loop may renew: each of a list has its own."""
    if isinstance(item, ListV) and item.kind == "tuple":
        return any(map(_is_object, item.items))
    return isinstance(item, (Instance, ModuleV))


def repeated(turn: Turn | None) -> bool:
    """Whether a loop around is past its first turn: the loops in it have shown two turns by then."""
    return any(one.index > 0 and not one.loop.bounded for one in chain(turn))


def _at_turn(item: Value, turn: Turn) -> Value:
    """An index is of the turn that reads it."""
    if isinstance(item, Symbol) and item.turn is None and item.kind == "index":
        return Symbol("index", turn, item.offset)
    if isinstance(item, ListV) and item.kind == "tuple":
        return ListV("tuple", [_at_turn(one, turn) for one in item.items], item.exact, item.born)
    return item


def _walk_generator(
    m: Machine, generator: GeneratorV, node: nodes.Node, body: Callable[[Value], Signal]
) -> Signal:
    """Run a generator of the program with `body` at each of its yields."""
    from lintgrad.machine import functions

    loop = Activation(m.site(node), False, m.tick())
    last: list[Signal] = [None]
    outer, consumer = m.turn, m.frame
    count = 0

    def consume(value: Value) -> bool:
        nonlocal count
        inside, producers = m.turn, m.frames
        m.frames = producers[: producers.index(consumer) + 1]
        m.turn = Turn(loop, count, inside)
        count += 1
        try:
            last[0] = body(value)
        finally:
            m.turn, m.frames = inside, producers
        return last[0] not in ("break", "return")

    keeping.enter(m, loop)
    try:
        functions.run_generator(m, generator, node, consume)
    except GeneratorStop:
        pass
    finally:
        keeping.leave(m, loop)
        m.turn = outer
        del m.frames[m.frames.index(consumer) + 1 :]
    return last[0] if last[0] in ("break", "return") else None


def run_while(m: Machine, stmt: nodes.While, body: Callable[[], Signal]) -> Signal:
    """`while`: two turns stand for many, unless the condition is false at the start."""
    loop = Activation(m.site(stmt), False, m.tick())
    outer = m.turn
    keeping.enter(m, loop)
    try:
        for index in range(1 if repeated(outer) else TURNS):
            m.turn = Turn(loop, index, outer)
            if not conditions.truth(m, stmt.test, True, 0):
                return None
            signal = body()
            if signal in ("break", "return"):
                return signal
        return None
    finally:
        keeping.leave(m, loop)
        m.turn = outer


def elements(m: Machine, iterable: Value, node: nodes.Node) -> tuple[list[Value], bool]:
    """The elements to walk, and whether they are all there are."""
    if isinstance(iterable, Unknown) and iterable.acts_as is not None:
        iterable = iterable.acts_as
    match iterable:
        case ListV():
            return _listed(m, iterable, node)
        case Range():
            return _ranged(m, iterable, node)
        case DictV():
            keys: list[Value] = [Lit(key) for key in iterable.items]
            return (keys, True) if iterable.exact else ([*keys, m.unknown(node, "key")][:MAX_ELEMENTS], False)
        case Iterator():
            items, bounded = elements(m, iterable.source, node)
            return items[iterable.position :] if bounded else items, bounded
        case GeneratorV():
            return collect(m, iterable, node), False
        case ModuleV() if iterable.kind in ("Sequential", "ModuleList", "ParameterList"):
            return _listed(m, ListV("list", list(iterable.items), iterable.exact), node)
        case ModuleV() if iterable.kind in ("ModuleDict", "ParameterDict"):
            return [Lit(key) for key in iterable.state.children], True
        case Instance():
            produced = _instance(m, iterable, node)
            if produced is not None:
                return produced
    known = m.library.elements(m, iterable, node)
    if known is not None:
        return known
    return [_element(m, iterable, node) for _ in range(TURNS)], False


def _element(m: Machine, iterable: Value, node: nodes.Node) -> Value:
    """An element of something unknown: data, unless what it comes from carries a graph."""
    item = m.unknown(node, "element", iterable)
    if isinstance(iterable, Unknown):
        item.foreign = iterable.foreign and not DATA.search(iterable.place) and m.grad
        item.keeps = iterable.keeps
    return item


def _instance(m: Machine, iterable: Instance, node: nodes.Node) -> tuple[list[Value], bool] | None:
    from lintgrad.machine import functions, members

    method = members.class_member(iterable.cls, "__iter__")
    if method is None or not hasattr(method, "definition"):
        return None
    made = functions.call_method(m, iterable, "__iter__", node)
    return elements(m, made, node) if made is not None and made is not iterable else None


def _listed(m: Machine, items: ListV, node: nodes.Node) -> tuple[list[Value], bool]:
    if _walked_whole(items):
        return list(items.items), True
    if not items.items:
        return [m.unknown(node, "element") for _ in range(TURNS)], False
    if len(items.items) == 1:
        return [items.items[0], items.items[0]], False
    return items.items[:TURNS] if not items.exact else items.items[:MAX_ELEMENTS], False


def _walked_whole(items: ListV) -> bool:
    """Whether all elements are known and few enough; parameters may be more, as each of them counts."""
    if not items.exact:
        return False
    parameters = len(items.items) <= MAX_PARAMETERS and all(_is_parameter(item) for item in items.items)
    return parameters or len(items.items) <= MAX_ELEMENTS


def _is_parameter(item: Value) -> bool:
    """Whether `item` is a leaf, or a pair of a name and one."""
    if isinstance(item, ListV) and len(item.items) == 2:
        item = item.items[1]
    return isinstance(item, Tensor) and item.leaf is not None and item.node is None


def _ranged(m: Machine, walked: Range, node: nodes.Node) -> tuple[list[Value], bool]:
    m.spend()
    match walked.kind:
        case "range":
            return _numbers(walked)
        case "enumerate":
            items, bounded = elements(m, walked.parts[0], node)
            start = walked.parts[1]
            first = start.value if isinstance(start, Lit) and isinstance(start.value, int) else 0
            pairs = [
                ListV("tuple", [Lit(first + k) if bounded else Symbol("index", None, first), item])
                for k, item in enumerate(items)
            ]
            return list(pairs), bounded
        case "zip":
            columns = [elements(m, part, node) for part in walked.parts]
            length = min((len(items) for items, _ in columns), default=0)
            bounded = any(all_of and len(items) == length for items, all_of in columns)
            return [ListV("tuple", [items[k] for items, _ in columns]) for k in range(length)], bounded
        case "map" | "filter":
            return _mapped(m, walked, node)
        case "reversed":
            items, bounded = elements(m, walked.parts[0], node)
            return items[::-1], bounded
        case "items" | "values" | "keys":
            return _mapping(m, walked, node)


def _numbers(walked: Range) -> tuple[list[Value], bool]:
    start = walked.parts[0].value if isinstance(walked.parts[0], Lit) else 0
    first = start if isinstance(start, int) else 0
    if walked.length is not None and walked.length <= TURNS:
        return [Lit(first + k) for k in range(walked.length)], True
    return [Symbol("index", None, first) for _ in range(TURNS)], False


def _mapped(m: Machine, walked: Range, node: nodes.Node) -> tuple[list[Value], bool]:
    from lintgrad.machine import calls
    from lintgrad.machine.values import Arguments

    if len(walked.parts) < 2:
        return [], False
    function, *rest = walked.parts
    items, bounded = elements(m, rest[0], node)
    if walked.kind == "filter":
        return items, bounded
    return [calls.call_value(m, function, Arguments([item]), node) for item in items], bounded


def _mapping(m: Machine, walked: Range, node: nodes.Node) -> tuple[list[Value], bool]:
    source = walked.parts[0]
    if not isinstance(source, DictV):
        value = [m.unknown(node, "element", source) for _ in range(TURNS)]
        if walked.kind == "items":
            return [ListV("tuple", [m.unknown(node, "key"), one]) for one in value], False
        return list(value), False
    pairs: list[tuple[Value, Value]] = [(Lit(k), v) for k, v in source.items.items()]
    pairs += [(m.unknown(node, "key"), v) for v in source.rest]
    bounded = source.exact and len(pairs) <= MAX_ELEMENTS
    pairs = pairs[:MAX_ELEMENTS]
    match walked.kind:
        case "keys":
            return [k for k, _ in pairs], bounded
        case "values":
            return [v for _, v in pairs], bounded
        case _:
            return [ListV("tuple", [k, v]) for k, v in pairs], bounded


def collect(m: Machine, generator: GeneratorV, node: nodes.Node) -> list[Value]:
    """Everything that a generator yields, at once."""
    found: list[Value] = []

    def take(value: Value) -> Signal:
        found.append(value)
        return None if len(found) < MAX_ELEMENTS else "break"

    _walk_generator(m, generator, node, take)
    return found


def comprehension(m: Machine, expr: nodes.Comprehension) -> Value:
    """A comprehension or generator expression, run at once."""
    frame = m.frame
    saved, frame.env = frame.env, m.environment(frame.env)
    frame.env.of_comprehension = True
    items: list[Value] = []
    table = DictV({}, born=m.tick())
    exact = [True]

    def produce(level: int) -> Signal:
        if level == len(expr.generators):
            _produce(m, expr, items, table)
            return None
        part = expr.generators[level]
        iterable = _spelled_out(expressions.evaluate(m, part.iterable))
        exact[0] = exact[0] and _all_known(m, iterable)

        def body(item: Value) -> Signal:
            assignments.assign(m, part.target, item, part)
            assumed = len(m.trace.assumed)
            taken = all(conditions.truth(m, test, True, 0) for test in part.conditions)
            exact[0] = exact[0] and len(m.trace.assumed) == assumed
            if taken:
                produce(level + 1)
            return None

        walk(m, iterable, part, body)
        return None

    try:
        produce(0)
    finally:
        frame.env = saved
    if expr.kind == "dict":
        table.exact = table.exact and exact[0]
        return table
    return ListV("set" if expr.kind == "set" else "list", items, exact[0], m.tick())


def _spelled_out(iterable: Value) -> Value:
    """A short range of known length as its numbers: comprehensions build layers with it."""
    if isinstance(iterable, Range) and iterable.kind == "range" and iterable.length is not None:
        start = iterable.parts[0].value if isinstance(iterable.parts[0], Lit) else 0
        if TURNS < iterable.length <= MAX_ELEMENTS and isinstance(start, int):
            return ListV("list", [Lit(start + k) for k in range(iterable.length)])
    return iterable


def _produce(m: Machine, expr: nodes.Comprehension, items: list[Value], table: DictV) -> None:
    value = expressions.evaluate(m, expr.element)
    if expr.key is None:
        items.append(value)
        return
    key = expressions.evaluate(m, expr.key)
    if isinstance(key, Lit):
        table.items[key.value] = value
    else:
        table.rest.append(value)
        table.exact = False


def _all_known(m: Machine, iterable: Value) -> bool:
    match iterable:
        case ListV():
            return _walked_whole(iterable)
        case DictV():
            return iterable.exact
        case Range(kind="range"):
            return iterable.length is not None and iterable.length <= TURNS
        case Range():
            m.spend()
            return all(_all_known(m, part) for part in iterable.parts if not isinstance(part, Lit))
        case ModuleV():
            return iterable.exact and len(iterable.items) <= MAX_ELEMENTS
        case _:
            return False
