"""Python's builtin functions and the methods of its containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import builtins, keeping, loops, members
from lintgrad.machine.values import (
    FALSE,
    NONE,
    TRUE,
    Arguments,
    DictV,
    GeneratorV,
    Iterator,
    ListKind,
    ListV,
    Lit,
    Range,
    Symbol,
    Value,
)

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


MAX_ITEMS = 1024


def joined(m: Machine, kind: ListKind, items: list[Value], exact: bool) -> ListV:
    """A new list of `items`; of one that was doubled too often, the first and the last stand for all."""
    if len(items) > MAX_ITEMS:
        items, exact = [*items[: MAX_ITEMS // 2], *items[-MAX_ITEMS // 2 :]], False
    return ListV(kind, items, exact, m.tick())


# --- methods ------------------------------------------------------------------------------------


def method(m: Machine, receiver: Value, name: str, args: Arguments, node: nodes.Node) -> Value | None:
    """Call a method of a container or a constant."""
    match receiver:
        case Lit() if name == "backward":
            m.touched_all = m.seq  # a loss that was not made here: nothing is known of its gradients
            return NONE
        case ListV():
            return _list_method(m, receiver, name, args, node)
        case DictV():
            return _dict_method(m, receiver, name, args, node)
        case Lit():
            return _constant_method(m, receiver, name, args, node)
        case Iterator() | GeneratorV() if name == "__next__":
            return builtins.next_of(m, Arguments([receiver]), node)
        case GeneratorV() if name in ("send", "close", "throw"):
            return m.unknown(node, "sent")
        case _:
            return None


def _constant_method(m: Machine, receiver: Lit, name: str, args: Arguments, node: nodes.Node) -> Value | None:
    if isinstance(receiver.value, (str, bytes)):
        given = args.all()
        if name in ("lower", "upper", "strip") and not given:
            return Lit(getattr(receiver.value, name)())
        affix = _texts(given[0]) if given else None
        if name in ("startswith", "endswith") and affix is not None and len(given) == 1:
            try:
                return TRUE if getattr(receiver.value, name)(affix) else FALSE
            except TypeError:
                return m.unknown(node, "boolean")
        return m.unknown(node, "text")
    if receiver.value is None:
        return m.unknown(node, "call", *args.all(), foreign=True)
    return None


def _texts(value: Value) -> object:
    """A constant, or a tuple of constants, as Python has it; None for anything else."""
    if isinstance(value, ListV) and value.exact:
        parts = [part.value for part in value.items if isinstance(part, Lit)]
        return tuple(parts) if len(parts) == len(value.items) else None
    return value.value if isinstance(value, Lit) else None


def _list_method(m: Machine, receiver: ListV, name: str, args: Arguments, node: nodes.Node) -> Value | None:
    first = args.first
    match name:
        case "append" | "add" | "appendleft" | "insert":
            value = args.positional[-1] if args.positional else NONE
            keeping.note(m, receiver, receiver.born, "", value, node, how="container", read=lambda: receiver)
            _append(m, receiver, value, 0 if name == "appendleft" else None)
        case "extend" | "update":
            items, bounded = loops.elements(m, first, node)
            for item in items:
                keeping.note(
                    m, receiver, receiver.born, "", item, node, how="container", read=lambda: receiver
                )
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
    first = args.first
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
            return DictV(
                dict(receiver.items), receiver.exact, list(receiver.rest), receiver.factory, m.tick()
            )
        case "popitem":
            return m.unknown(node, "item", foreign=True)
        case _:
            return None
    return NONE


def _dict_get(m: Machine, receiver: DictV, name: str, args: Arguments, node: nodes.Node) -> Value:
    key = args.first
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
