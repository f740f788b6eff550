"""Python's builtin functions and the methods of its containers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lintgrad.machine import calls, conditions, keeping, loops, members
from lintgrad.machine.choices import PathEndError
from lintgrad.machine.values import (
    FALSE,
    NONE,
    TRUE,
    Arguments,
    ClassV,
    DictV,
    ExceptionV,
    GeneratorV,
    GradOf,
    Instance,
    Iterator,
    LibV,
    ListV,
    Lit,
    ModuleV,
    Range,
    Symbol,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

Builtin = Callable[["Machine", Arguments, "nodes.Node"], Value | None]


def builtin(m: Machine, name: str, args: Arguments, node: nodes.Node) -> Value | None:
    """Call a builtin function; None where it is not modelled."""
    handler = _BUILTINS.get(name)
    if handler is not None:
        return handler(m, args, node)
    if name.endswith(("Error", "Exception", "Warning", "Interrupt", "Exit", "Iteration")):
        return ExceptionV(name)
    return m.unknown(node, "builtin", *args.all())


def _first(args: Arguments) -> Value:
    return args.positional[0] if args.positional else NONE


def _range(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    values = args.positional
    start = values[0] if len(values) > 1 else Lit(0)
    length = None
    if values and all(isinstance(v, Lit) and isinstance(v.value, int) for v in values):
        try:
            length = len(range(*(v.value for v in values)))  # type: ignore[attr-defined]
        except (TypeError, ValueError, OverflowError):
            length = None
    return Range("range", (start,), length)


def _enumerate(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return Range("enumerate", (_first(args), args.get(1, "start") or Lit(0)))


def _zip(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return Range("zip", tuple(args.positional)) if args.positional else m.unknown(node, "zip", *args.extra)


def _map(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return Range("map", tuple(args.positional))


def _filter(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return Range("filter", tuple(args.positional))


def _reversed(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return Range("reversed", (_first(args),))


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
    value = _first(args)
    if isinstance(value, ListV | DictV) and value.exact and (m.turn is None or m.turn.loop.bounded):
        return Lit(len(value.items))
    if isinstance(value, Lit) and isinstance(value.value, str | bytes):
        return Lit(len(value.value))
    if isinstance(value, Unknown):
        return value.members.setdefault("len()", Unknown("length", m.site(node), place="len"))
    return Symbol("number")


def _sum(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    from lintgrad.machine import expressions

    items, _ = loops.elements(m, _first(args), node)
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
        return values[0] if len(values) == 1 else Symbol("number")
    return m.unknown(node, "number", *values)


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
    return not isinstance(value, Lit | ListV | DictV)


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
            members.write(m, receiver, "?", value, node)
    return NONE


def _number(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = _first(args)
    if isinstance(value, Lit) and isinstance(value.value, int | float):
        return value
    m.library.read_number(m, value, node)
    return Symbol("number")


def _bool(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = _first(args)
    return m.unknown(node, "boolean") if isinstance(value, Unknown | Tensor | Symbol | GradOf) else (
        TRUE if conditions.holds(m, value, node) else FALSE
    )


def _text(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = _first(args)
    return Lit(str(value.value)) if isinstance(value, Lit) else m.unknown(node, "text")


def _iter(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = _first(args)
    return value if isinstance(value, Iterator | GeneratorV) else Iterator(value)


def _next(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = _first(args)
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
    value = _first(args)
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
    value = _first(args)
    return value.cls if isinstance(value, Instance) else m.unknown(node, "type")


def _plain(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    return m.unknown(node, "plain")


def _vars(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    value = _first(args)
    if isinstance(value, Instance):
        return DictV(dict(value.members), exact=False, born=m.tick())
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
    "next": _next,
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


# --- methods ------------------------------------------------------------------------------------


def method(m: Machine, receiver: Value, name: str, args: Arguments, node: nodes.Node) -> Value | None:
    """Call a method of a container or a constant."""
    match receiver:
        case ListV():
            return _list_method(m, receiver, name, args, node)
        case DictV():
            return _dict_method(m, receiver, name, args, node)
        case Lit():
            return _constant_method(m, receiver, name, args, node)
        case Iterator() | GeneratorV() if name == "__next__":
            return _next(m, Arguments([receiver]), node)
        case GeneratorV() if name in ("send", "close", "throw"):
            return m.unknown(node, "sent")
        case _:
            return None


def _constant_method(m: Machine, receiver: Lit, name: str, args: Arguments, node: nodes.Node) -> Value | None:
    if isinstance(receiver.value, str | bytes):
        given = args.all()
        if name in ("lower", "upper", "strip") and not given:
            return Lit(getattr(receiver.value, name)())
        if name in ("startswith", "endswith") and given and all(isinstance(g, Lit) for g in given):
            try:
                return TRUE if getattr(receiver.value, name)(given[0].value) else FALSE  # type: ignore[attr-defined]
            except TypeError:
                return m.unknown(node, "boolean")
        return m.unknown(node, "text")
    if receiver.value is None:
        return m.unknown(node, "call", *args.all(), foreign=True)
    return None


def _list_method(m: Machine, receiver: ListV, name: str, args: Arguments, node: nodes.Node) -> Value | None:
    first = _first(args)
    match name:
        case "append" | "add" | "appendleft" | "insert":
            value = args.positional[-1] if args.positional else NONE
            keeping.note(m, receiver, receiver.born, "", value, node, "container", lambda: receiver)
            _append(m, receiver, value, 0 if name == "appendleft" else None)
        case "extend" | "update":
            items, bounded = loops.elements(m, first, node)
            for item in items:
                keeping.note(m, receiver, receiver.born, "", item, node, "container", lambda: receiver)
                _append(m, receiver, item, None)
            receiver.exact = receiver.exact and bounded
        case "clear":
            receiver.items.clear()
            receiver.exact = True
        case "pop" | "popleft":
            return _pop(m, receiver, name, args, node)
        case "copy":
            return ListV(receiver.kind, list(receiver.items), receiver.exact, m.tick())
        case "reverse":
            receiver.items.reverse()
        case "remove" | "discard":
            receiver.exact = False
        case "sort" | "rotate":
            return NONE
        case "index" | "count":
            return Symbol("number")
        case "_replace":
            return receiver
        case _:
            return None
    return NONE


def _append(m: Machine, receiver: ListV, value: Value, position: int | None) -> None:
    if m.turn is not None and not m.turn.loop.bounded and receiver.born < m.turn.loop.started:
        receiver.exact = False
    if position is None:
        receiver.items.append(value)
    else:
        receiver.items.insert(position, value)
    if len(receiver.items) > 16:
        del receiver.items[2]
        receiver.exact = False


def _pop(m: Machine, receiver: ListV, name: str, args: Arguments, node: nodes.Node) -> Value:
    if not receiver.items:
        return m.unknown(node, "item", foreign=not receiver.exact)
    index = args.positional[0] if args.positional else None
    position = index.value if isinstance(index, Lit) and isinstance(index.value, int) else None
    if name == "popleft":
        position = 0
    if position is None or not -len(receiver.items) <= position < len(receiver.items):
        position = -1
    return receiver.items.pop(position)


def _dict_method(m: Machine, receiver: DictV, name: str, args: Arguments, node: nodes.Node) -> Value | None:
    first = _first(args)
    match name:
        case "items" | "values" | "keys":
            return Range(name, (receiver,))
        case "get" | "pop" | "setdefault":
            return _dict_get(m, receiver, name, args, node)
        case "update":
            if args.positional:
                members.update_dict(receiver, first)
            receiver.items.update(args.keywords)
            receiver.exact = receiver.exact and not args.extra
        case "clear":
            receiver.items.clear()
            receiver.rest.clear()
            receiver.exact = True
        case "copy":
            return DictV(dict(receiver.items), receiver.exact, list(receiver.rest), receiver.factory, m.tick())
        case "popitem":
            return m.unknown(node, "item", foreign=True)
        case _:
            return None
    return NONE


def _dict_get(m: Machine, receiver: DictV, name: str, args: Arguments, node: nodes.Node) -> Value:
    key = _first(args)
    default = args.get(1, "default") or NONE
    if isinstance(key, Lit) and key.value in receiver.items:
        found = receiver.items[key.value]
        if name == "pop":
            del receiver.items[key.value]
        return found
    if name == "setdefault":
        if isinstance(key, Lit):
            receiver.items[key.value] = default
        else:
            receiver.rest.append(default)
            receiver.exact = False
        return default
    if receiver.exact and isinstance(key, Lit):
        return default
    return members.item(m, receiver, key, node)  # type: ignore[arg-type]


def is_container(value: Value) -> bool:
    """Whether `value` is one of Python's containers."""
    return isinstance(value, ListV | DictV | Range)


def plain_kind(value: Value) -> str:
    """A word for `value` in what lintgrad shows."""
    match value:
        case ClassV():
            return value.definition.name
        case LibV():
            return value.name
        case ModuleV():
            return value.kind
        case _:
            return type(value).__name__.removesuffix("V").lower()


def call_each(m: Machine, functions: list[Value], args: Arguments, node: nodes.Node) -> None:
    """Call several functions with the same arguments."""
    for function in functions:
        calls.call_value(m, function, args, node)
