"""Python's builtin functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lintgrad.machine import conditions, constants, loops, members, units
from lintgrad.machine.choices import PathEndError
from lintgrad.machine.values import (
    FALSE,
    NONE,
    TRUE,
    Arguments,
    DictV,
    ExceptionV,
    GeneratorV,
    GradOf,
    Instance,
    Iterator,
    ListV,
    Lit,
    Range,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


Builtin = Callable[["Machine", Arguments, "nodes.Node"], Value | None]


def builtin(m: Machine, name: str, args: Arguments, node: nodes.Node) -> Value | None:
    """Call a builtin function; None where it is not modelled."""
    handler = _BUILTINS.get(name)
    if handler is not None:
        return handler(m, args, node)
    if name.endswith(("Error", "Exception", "Warning", "Interrupt", "Exit", "Iteration", "ExceptionGroup")):
        return ExceptionV(name)
    return m.unknown(node, "builtin", *args.all())


def _range(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    values = args.positional
    start = values[0] if len(values) > 1 else Lit(0)
    length = None
    if values and all(isinstance(v, Lit) and isinstance(v.value, int) for v in values):
        try:
            length = len(range(*(v.value for v in values)))  # type: ignore[attr-defined]
        except (TypeError, ValueError, OverflowError):
            length = None
    return Range("range", (start, values[min(1, len(values) - 1)]) if values else (start,), length)


def _enumerate(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return Range("enumerate", (args.first, args.get(1, "start") or Lit(0)))


def _zip(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return Range("zip", tuple(args.positional)) if args.positional else m.unknown(node, "zip", *args.extra)


def _map(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return Range("map", tuple(args.positional))


def _filter(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return Range("filter", tuple(args.positional))


def _reversed(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return Range("reversed", (args.first,))


def _sequence(kind: str) -> Builtin:
    def make(m: Machine, args: Arguments, node: nodes.Node) -> Value:
        if not args.positional:
            return ListV(kind, [], not args.extra, m.tick())  # type: ignore[arg-type]
        source = args.positional[0]
        if isinstance(source, Unknown) and source.acts_as is None and not source.sources:
            return m.unknown(node, "list", source, foreign=source.foreign)
        items, bounded = loops.elements(m, source, node)
        return ListV(kind, items, bounded, m.tick())  # type: ignore[arg-type]

    return make


def _dict(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    result = DictV({}, born=m.tick(), exact=not args.extra)
    if args.positional:
        source = args.positional[0]
        if isinstance(source, DictV):
            members.update_dict(result, source)
        else:
            items, bounded = loops.elements(m, source, node)
            result.exact = bounded
            for pair in items:
                _put_pair(result, pair)
    result.items.update(args.keywords)
    return result


def _put_pair(result: DictV, pair: Value) -> None:
    if isinstance(pair, ListV) and len(pair.items) == 2 and isinstance(pair.items[0], Lit):
        result.items[pair.items[0].value] = pair.items[1]
    else:
        result.exact = False
        result.rest.append(pair.items[-1] if isinstance(pair, ListV) and pair.items else pair)


def _len(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = args.first
    if isinstance(value, (ListV, DictV)) and value.exact and (m.turn is None or m.turn.loop.bounded):
        return units.derive(m, "len", Lit(len(value.items)), value)
    if isinstance(value, Lit) and isinstance(value.value, (str, bytes)):
        return Lit(len(value.value))
    if isinstance(value, Unknown):
        return value.members.setdefault("len()", Unknown("length", m.site(node), place="len"))
    return Symbol("number")


def _sum(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    from lintgrad.machine import expressions

    items, _ = loops.elements(m, args.first, node)
    total: Value = args.get(1, "start") or Lit(0)
    for item in items:
        total = expressions.binary(m, "+", total, item, node)
    return total


def _extremum(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    values = list(args.positional)
    if len(values) == 1:
        values, _ = loops.elements(m, values[0], node)
    if any(isinstance(v, Tensor) for v in values):
        return next(v for v in values if isinstance(v, Tensor))
    if all(isinstance(v, Lit) for v in values) and values:
        return values[0] if len(values) == 1 else units.derive(m, "max", Symbol("number"), *values[:2])
    return units.derive(m, "max", m.unknown(node, "number", *values), *values[:2])


def _isinstance(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    if len(args.positional) < 2:
        return m.unknown(node, "isinstance")
    value, kind = args.positional[:2]
    known = m.library.is_instance(m, value, kind)
    if known is not None:
        return TRUE if known else FALSE
    return conditions.is_instance(m, value, kind, node)  # type: ignore[arg-type]


def _getattr(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    if len(args.positional) >= 2 and isinstance(args.positional[1], Lit):
        name = str(args.positional[1].value)
        if len(args.positional) == 3 and not _has(m, args.positional[0], name):
            return args.positional[2]
        return members.read(m, args.positional[0], name, node)
    return m.unknown(node, "getattr", *args.positional[:1], foreign=True)


def _has(m: Machine, value: Value, name: str) -> bool:
    if isinstance(value, Instance):
        return name in value.members or members.class_member(value.cls, name) is not None
    return not isinstance(value, (Lit, ListV, DictV))


def _hasattr(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    if len(args.positional) == 2 and isinstance(args.positional[1], Lit):
        value, name = args.positional[0], str(args.positional[1].value)
        if isinstance(value, Instance) and not members.has_unknown_base(value.cls):
            return TRUE if _has(m, value, name) else FALSE
        if isinstance(value, Unknown):
            return value.members.setdefault(f"hasattr {name}", m.unknown(node, "hasattr"))
    return m.unknown(node, "hasattr")


def _setattr(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    if len(args.positional) == 3:
        receiver, name, value = args.positional
        if isinstance(name, Lit):
            members.write(m, receiver, str(name.value), value, node)
        elif isinstance(receiver, Instance):
            # Each time it may be another name: what was there under the last one stays.
            members.write(m, receiver, f"?{m.tick()}", value, node)
    return NONE


def _number(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = args.first
    if isinstance(value, Lit) and isinstance(value.value, (int, float)):
        return value
    m.library.read_number(m, value, node)
    return units.derive(m, "int", Symbol("number"), value)


def _bool(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = args.first
    return (
        m.unknown(node, "boolean")
        if isinstance(value, (Unknown, Tensor, Symbol, GradOf))
        else (TRUE if conditions.holds(m, value, node) else FALSE)
    )


def _text(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = args.first
    known = constants.text(value.value) if isinstance(value, Lit) else None
    return known or m.unknown(node, "text")


def _iter(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = args.first
    return value if isinstance(value, (Iterator, GeneratorV)) else Iterator(value)


def next_of(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    """`next(iterator)`."""
    value = args.first
    if isinstance(value, GeneratorV):
        items = loops.collect(m, value, node)
        return items[0] if items else m.unknown(node, "element")
    items, bounded = loops.elements(m, value.source if isinstance(value, Iterator) else value, node)
    if isinstance(value, Iterator):
        position, value.position = value.position, value.position + 1
        if position < len(items) and bounded:
            return items[position]
    return items[-1] if items else m.unknown(node, "element")


def _any_all(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = args.first
    if isinstance(value, ListV) and value.exact and all(isinstance(v, Lit) for v in value.items):
        return m.unknown(node, "boolean") if value.items else FALSE
    return m.unknown(node, "boolean")


def _quiet(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return NONE


def _exit(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    raise PathEndError


def _object(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return m.unknown(node, "object")


def _type(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = args.first
    return value.cls if isinstance(value, Instance) else m.unknown(node, "type")


def _plain(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return m.unknown(node, "plain")


def _vars(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = args.first
    if isinstance(value, Instance):
        return DictV(dict[object, Value](value.members.items()), exact=False, born=m.tick())
    return m.unknown(node, "vars")


_BUILTINS: dict[str, Builtin] = {
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "map": _map,
    "filter": _filter,
    "reversed": _reversed,
    "list": _sequence("list"),
    "tuple": _sequence("tuple"),
    "set": _sequence("set"),
    "frozenset": _sequence("set"),
    "sorted": _sequence("list"),
    "dict": _dict,
    "len": _len,
    "sum": _sum,
    "max": _extremum,
    "min": _extremum,
    "isinstance": _isinstance,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "int": _number,
    "float": _number,
    "round": _number,
    "abs": lambda m, args, node: m.library.call(m, "torch.abs", args, node),  # type: ignore[arg-type]
    "bool": _bool,
    "str": _text,
    "iter": _iter,
    "next": next_of,
    "any": _any_all,
    "all": _any_all,
    "print": _quiet,
    "input": _plain,
    "open": _plain,
    "exit": _exit,
    "quit": _exit,
    "object": _object,
    "type": _type,
    "vars": _vars,
    "id": _plain,
    "format": _plain,
    "repr": _plain,
    "callable": lambda m, args, node: m.unknown(node, "boolean"),
    "issubclass": lambda m, args, node: m.unknown(node, "boolean"),
}
