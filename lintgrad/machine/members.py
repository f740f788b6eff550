"""Attributes and items: reading and writing what objects and containers hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import imports, keeping
from lintgrad.machine.values import (
    NONE,
    BoundV,
    ClassV,
    DictV,
    FileV,
    FunctionV,
    GradOf,
    Instance,
    Iterator,
    LibV,
    ListV,
    Lit,
    ModuleV,
    OptimizerV,
    SuperV,
    Symbol,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

MAX_REST = 8
"""Values that are kept for the unknown keys of a dict: updates with itself would double them."""


def class_member(cls: Value, name: str, after: ClassV | None = None) -> Value | None:
    """What a class or its bases of the program define as `name`; `after` starts behind that class."""
    if not isinstance(cls, ClassV):
        return None
    order = cls.order
    if after is not None:
        position = next((i for i, one in enumerate(order) if one is after), -1)
        order = order[position + 1 :]
    for one in order:
        if isinstance(one, ClassV) and name in one.members:
            return one.members[name]
    return None


def library_bases(cls: ClassV) -> list[LibV]:
    """The bases that are of a library."""
    return [one for one in cls.order if isinstance(one, LibV)]


def has_unknown_base(cls: ClassV) -> bool:
    """Whether a base's code is not seen: it may define anything."""
    return any(
        not isinstance(one, ClassV) for one in cls.order if getattr(one, "name", "") != "builtins.object"
    )


def read(m: Machine, value: Value, name: str, node: nodes.Node) -> Value:
    """`value.name`."""
    match value:
        case Instance():
            return _of_instance(m, value, name, node)
        case LibV():
            return m.library.attribute(m, value, name, node) or LibV(f"{value.name}.{name}")
        case FileV():
            return imports.member(m, value, name)
        case ClassV():
            return _of_class(m, value, name, node)
        case SuperV():
            found = class_member(class_of(value.receiver), name, value.owner)
            return bind(m, value.receiver, found, node) if found is not None else BoundV(value.receiver, name)
        case FunctionV() if name in value.attributes:
            return value.attributes[name]
        case Unknown():
            return _of_unknown(m, value, name, node)
    found = m.library.attribute(m, value, name, node)
    if found is not None:
        return found
    if isinstance(value, (ModuleV, OptimizerV)) and name in value.members:
        return value.members[name]
    return BoundV(value, name)


def class_of(value: Value) -> Value:
    """The class of an instance; anything else itself."""
    return value.cls if isinstance(value, Instance) else value


def _of_instance(m: Machine, value: Instance, name: str, node: nodes.Node) -> Value:
    found = value.members.get(name)
    if found is not None:
        return found
    member = class_member(value.cls, name)
    if member is not None:
        return bind(m, value, member, node)
    if name == "__class__":
        return value.cls
    if name == "__dict__":
        return DictV(dict[object, Value](value.members.items()), exact=False, born=m.tick())
    known = m.library.attribute(m, value, name, node)
    if known is not None:
        return known
    getter = class_member(value.cls, "__getattr__")
    if isinstance(getter, FunctionV):
        from lintgrad.machine import functions

        return functions.call_method(m, value, "__getattr__", node, Lit(name)) or NONE
    if has_unknown_base(value.cls):
        return _foreign_member(m, value, name, node)
    return m.unknown(node, "missing attribute", foreign=True, place=name)


def _foreign_member(m: Machine, value: Instance, name: str, node: nodes.Node) -> Value:
    """What a base that is not seen may have put there: remembered, of the kind that its uses tell."""
    member: Value = m.unknown(node, "attribute", foreign=True, place=name)
    uses = value.cls.definition.uses.get(f"self.{name}", frozenset())
    if "()" in uses and not (uses - {"()"}):
        return BoundV(value, name)
    member = m.library.infer(m, name, uses, member) or member
    value.members[name] = member
    return member


def bind(m: Machine, receiver: Value, member: Value, node: nodes.Node) -> Value:
    """A class's member read through an instance: methods are bound, properties are run."""
    if not isinstance(member, FunctionV) or member.kind == "static":
        return member
    if member.kind == "property":
        from lintgrad.machine import functions
        from lintgrad.machine.values import Arguments

        return functions.call_function(m, member, receiver, Arguments(), node)
    if member.kind == "class" and isinstance(receiver, Instance):
        return BoundV(receiver.cls, member)
    return BoundV(receiver, member)


def _of_class(m: Machine, value: ClassV, name: str, node: nodes.Node) -> Value:
    member = class_member(value, name)
    if isinstance(member, FunctionV) and member.kind == "class":
        return BoundV(value, member)
    if member is not None:
        return member
    if name in ("__name__", "__qualname__"):
        return Lit(value.definition.name)
    if name in ("__doc__", "__module__"):
        return m.unknown(node, "text")
    return BoundV(value, name)


def _of_unknown(m: Machine, value: Unknown, name: str, node: nodes.Node) -> Value:
    """The same attribute of the same unknown is the same value, until unknown code may change it."""
    if value.acts_as is not None and not isinstance(value.acts_as, Tensor):
        return read(m, value.acts_as, name, node)
    known = value.members.get(name)
    if known is not None:
        return known
    found = m.library.attribute(m, value, name, node)
    if found is not None:
        return found
    place = f"{value.place}.{name}" if value.place else name
    member: Value = m.unknown(node, "attribute", value, foreign=value.foreign, place=place)
    uses = m.frame.uses_of(place)
    if uses - {"()"}:
        member = m.library.infer(m, place, uses, member) or member
    value.members[name] = member
    return member


def write(m: Machine, receiver: Value, name: str, value: Value, node: nodes.Node, how: str = "") -> None:
    """`receiver.name = value`."""
    if (
        isinstance(receiver, Unknown)
        and receiver.acts_as is not None
        and not isinstance(receiver.acts_as, Tensor)
    ):
        receiver = receiver.acts_as
    if m.library.store(m, receiver, name, value, node):
        return
    match receiver:
        case Instance():
            _write_member(m, receiver, name, value, node, how)
        case ModuleV() | OptimizerV():
            receiver.members[name] = value
        case Unknown():
            keeping.note(m, receiver, -1, name, value, node, how=how, read=lambda: receiver.members.get(name))
            receiver.members[name] = value
            if how != "sum":
                m.escape(value)
        case ClassV():
            receiver.members[name] = value
        case FunctionV():
            receiver.attributes[name] = value
        case FileV():
            imports.store(m, receiver, name, value)
        case _:
            m.escape(value)


def _write_member(
    m: Machine, receiver: Instance, name: str, value: Value, node: nodes.Node, how: str
) -> None:
    member = class_member(receiver.cls, name)
    if isinstance(member, FunctionV) and member.kind == "property":
        _set_property(m, receiver, name, value, node)
        return
    born = receiver.born
    keeping.note(m, receiver, born, name, value, node, how=how, read=lambda: receiver.members.get(name))
    receiver.members[name] = value


def _set_property(m: Machine, receiver: Instance, name: str, value: Value, node: nodes.Node) -> None:
    setter = class_member(receiver.cls, f"{name}.setter")
    if isinstance(setter, FunctionV):
        from lintgrad.machine import functions
        from lintgrad.machine.values import Arguments

        functions.call_function(m, setter, receiver, Arguments([value]), node)


def item(m: Machine, value: Value, index: Value, node: nodes.Expr) -> Value:
    """`value[index]`."""
    if isinstance(value, Unknown) and value.acts_as is not None:
        value = value.acts_as
    match value:
        case ListV():
            return _of_list(m, value, index, node)
        case DictV():
            return _of_dict(m, value, index, node)
        case Lit() | Symbol():
            return m.unknown(node, "item")
        case Instance():
            from lintgrad.machine import functions

            found = functions.call_method(m, value, "__getitem__", node, index)
            if found is not None:
                return found
        case GradOf() | ClassV():  # a generic class with its parameters is the class
            return value
    known = m.library.item(m, value, index, node)
    if known is not None:
        return known
    if isinstance(value, Unknown):
        key = f"[{index.value!r}]" if isinstance(index, Lit) else ""
        if key and key in value.members:
            return value.members[key]
        place = f"{value.place}{key}"
        member = m.unknown(node, "item", value, foreign=value.foreign, place=place)
        member.keeps = value.keeps
        if key:
            value.members[key] = member
        return member
    return m.unknown(node, "item", value, foreign=True)


def _of_list(m: Machine, value: ListV, index: Value, node: nodes.Node) -> Value:
    items = value.items
    if isinstance(index, Lit) and isinstance(index.value, int):
        if -len(items) <= index.value < len(items):
            return items[index.value]
        return items[-1] if items and not value.exact else m.unknown(node, "item", foreign=not value.exact)
    if isinstance(index, ListV) and index.items and isinstance(index.items[0], LibV):
        return _slice(m, value, index)
    if not items:
        return m.unknown(node, "item", foreign=not value.exact)
    return items[_position(index, len(items))]


def _position(index: Value, count: int) -> int:
    """The element that a number which is not known stands for: the same one for reading and writing."""
    turn = index.turn.index if isinstance(index, Symbol) and index.kind == "index" and index.turn else 0
    return (turn + (index.offset if isinstance(index, Symbol) else 0)) % count


def _slice(m: Machine, value: ListV, index: ListV) -> Value:
    known = [one.value for one in index.items[1:] if isinstance(one, Lit)]
    bounds = [bound for bound in known if bound is None or isinstance(bound, int)]
    if len(bounds) == len(index.items) - 1 and bounds[-1] != 0:
        chosen = value.items[slice(*bounds)]
        return ListV(value.kind, chosen, value.exact, m.tick())
    return ListV(value.kind, list(value.items), False, m.tick())


def _of_dict(m: Machine, value: DictV, index: Value, node: nodes.Node) -> Value:
    if isinstance(index, Lit):
        found = _lookup(value, index.value)
        if found is not None:
            return found
        if value.factory is not None:
            from lintgrad.machine import calls

            made = calls.call_value(m, value.factory, calls.no_arguments(), node)
            _age(made, value)
            value.items[index.value] = made
            return made
        if value.rest:
            return value.rest[-1]
    elif value.rest or value.items:
        return (value.rest or list(value.items.values()))[-1]
    elif value.factory is not None:
        from lintgrad.machine import calls

        made = calls.call_value(m, value.factory, calls.no_arguments(), node)
        _age(made, value)
        value.rest.append(made)
        value.exact = False
        return made
    return m.unknown(node, "item", foreign=not value.exact)


def _age(made: Value, holder: DictV) -> None:
    """What a dict makes by itself lives as long as the dict."""
    if isinstance(made, (ListV, DictV)):
        made.born = holder.born


def _lookup(value: DictV, key: object) -> Value | None:
    try:
        return value.items.get(key)
    except TypeError:
        return None


def store_item(
    m: Machine, receiver: Value, index: Value, value: Value, node: nodes.Node, how: str = ""
) -> None:
    """`receiver[index] = value`."""
    if isinstance(receiver, Unknown) and receiver.acts_as is not None:
        receiver = receiver.acts_as
    if m.library.store_item(m, receiver, index, value, node):
        return
    match receiver:
        case ListV():
            keeping.note(
                m, receiver, receiver.born, "", value, node, how=how or "container", read=lambda: receiver
            )
            _store_in_list(receiver, index, value)
        case DictV():
            keeping.note(
                m, receiver, receiver.born, "", value, node, how=how or "container", read=lambda: receiver
            )
            if isinstance(index, Lit):
                receiver.items[index.value] = value
            else:
                receiver.rest = [*receiver.rest[-3:], value]
                receiver.exact = False
        case Instance():
            from lintgrad.machine import functions

            functions.call_method(m, receiver, "__setitem__", node, index, value)
        case Unknown():
            key_text = f"[{index.value!r}]" if isinstance(index, Lit) else "[]"
            receiver.members[key_text] = value
            m.escape(value)
        case _:
            m.escape(value)


def _store_in_list(receiver: ListV, index: Value, value: Value) -> None:
    if isinstance(index, Lit) and isinstance(index.value, int):
        if -len(receiver.items) <= index.value < len(receiver.items):
            receiver.items[index.value] = value
            return
    if isinstance(index, Symbol) and receiver.items:
        receiver.items[_position(index, len(receiver.items))] = value
    else:
        receiver.items.append(value)
    receiver.exact = False


def update_dict(target: DictV, source: Value) -> None:
    """`target.update(source)`."""
    if isinstance(source, DictV):
        target.items.update(source.items)
        target.rest = [*target.rest, *source.rest][-MAX_REST:]
        target.exact = target.exact and source.exact
    else:
        target.exact = False
        target.rest.append(source)


def delete(m: Machine, receiver: Value, key: Value | str) -> None:
    """`del receiver.key` or `del receiver[key]`."""
    if isinstance(key, str) and isinstance(receiver, (Instance, Unknown, ModuleV)):
        receiver.members.pop(key, None)
    elif isinstance(receiver, DictV) and isinstance(key, Lit):
        receiver.items.pop(key.value, None)
    elif isinstance(receiver, ListV) and isinstance(key, ListV):
        receiver.items.clear()
    elif isinstance(receiver, Iterator):
        receiver.position = 0
