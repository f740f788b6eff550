"""Classes of the program: making them, their order of lookup, their instances; decorators."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lintgrad.machine import functions
from lintgrad.machine.frames import Frame
from lintgrad.machine.stops import ProgramRaise
from lintgrad.machine.values import (
    Arguments,
    BoundV,
    ClassV,
    ContextV,
    FunctionV,
    Instance,
    LibV,
    Lit,
    ModuleState,
    SuperV,
    Unknown,
    Value,
)
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def make_class(m: Machine, definition: nodes.ClassDef) -> ClassV:
    """Run a class statement's body and make the class."""
    from lintgrad.machine import expressions, statements

    bases = tuple(expressions.evaluate(m, b.value) for b in definition.bases if b.keyword is None)
    frame = m.frame
    env = m.environment(frame.env, is_class=True)
    cls = ClassV(definition, env, frame.path, bases, env.names)
    cls.order = _linearize(cls)
    inner = Frame(env, frame.path, definition.name, owner=cls, stack=frame.stack, uses=frame.uses)
    m.frames.append(inner)
    try:
        statements.block(m, definition.body)
    finally:
        m.frames.pop()
    names = {getattr(base, "name", "").rsplit(".", 1)[-1] for base in bases}
    if names & {"NamedTuple", "Enum", "IntEnum", "TypedDict"}:
        cls.record = "namedtuple" if "NamedTuple" in names else ""
    cls.fields = _fields(cls)
    return cls


def _linearize(cls: ClassV) -> tuple[Value, ...]:
    """The classes in the order in which attributes are looked up: depth first, the last of doubles kept."""
    order: list[Value] = [cls]
    for base in cls.bases:
        order += base.order if isinstance(base, ClassV) else [base]
    kept: list[Value] = []
    for position, one in enumerate(order):
        if not any(_same(one, later) for later in order[position + 1 :]):
            kept.append(one)
    return tuple(kept)


def _same(left: Value, right: Value) -> bool:
    return left is right or (isinstance(left, LibV) and isinstance(right, LibV) and left.name == right.name)


def _fields(cls: ClassV) -> tuple[str, ...]:
    """Names declared with annotations, bases' first."""
    names: dict[str, None] = {}
    for one in reversed(cls.order):
        if isinstance(one, ClassV):
            for stmt in one.definition.body:
                if isinstance(stmt, nodes.Declare) and isinstance(stmt.target, nodes.Name):
                    names[stmt.target.id] = None
                elif isinstance(stmt, nodes.Assign) and stmt.annotation is not None:
                    names.update({t.id: None for t in stmt.targets if isinstance(t, nodes.Name)})
    return tuple(names)


def instantiate(m: Machine, cls: ClassV, args: Arguments, node: nodes.Node) -> Value:
    """`cls(...)`."""
    from lintgrad.machine import members

    instance = Instance(cls, born=m.tick())
    if any(m.library.is_module(base) for base in members.library_bases(cls)):
        instance.module = ModuleState()
    initializer = members.class_member(cls, "__init__")
    if isinstance(initializer, FunctionV):
        if instance.module is not None:
            instance.module.bare = _is_plain(m, cls)
        functions.call_function(m, initializer, instance, args, node)
    elif cls.record or _is_exception(cls):
        _fill(m, instance, args, node)
    elif members.has_unknown_base(cls):
        m.library.method(m, instance, "__init__", args, node)  # type: ignore[arg-type]
    return instance


def _is_plain(m: Machine, cls: ClassV) -> bool:
    """Whether nothing but an `__init__` of the program stands between the class and that of its library."""
    from lintgrad.machine import members

    outside = [one for one in cls.order if not isinstance(one, ClassV)]
    bases = [one for one in outside if getattr(one, "name", "") != "builtins.object"]
    seen = all(isinstance(one, LibV) and m.library.is_plain_module(one) for one in bases) and bool(bases)
    own = any(members.class_member(cls, name) is not None for name in ("__new__", "__setattr__"))
    marked = any(
        one.record or one.definition.decorators or any(b.keyword is not None for b in one.definition.bases)
        for one in cls.order
        if isinstance(one, ClassV)
    )
    return seen and not own and not marked


def _is_exception(cls: ClassV) -> bool:
    return any(isinstance(b, LibV) and b.name.endswith(("Exception", "Error")) for b in cls.order)


def _fill(m: Machine, instance: Instance, args: Arguments, node: nodes.Node) -> None:
    """Give a dataclass's or named tuple's instance its fields."""
    for position, name in enumerate(instance.cls.fields):
        given = args.get(position, name)
        default = _preset(m, instance.cls, name, node)
        instance.members[name] = (
            given or _default(m, default, node) or m.unknown(node, "field", foreign=True, place=name)
        )
    functions.call_method(m, instance, "__post_init__", node)


_CONFIG = re.compile(r"config|cfg|args|argument|option|setting|hparam|hyper|param|flags", re.IGNORECASE)


def _preset(m: Machine, cls: ClassV, name: str, node: nodes.Node) -> Value | None:
    """A field's default; that of a configuration's switch is what a user may set otherwise."""
    default = cls.members.get(name)
    if cls.record == "dataclass" and isinstance(default, Lit) and isinstance(default.value, bool):
        if _CONFIG.search(cls.definition.name):
            return m.unknown(node, "option", place=name)
    return default


def _default(m: Machine, default: Value | None, node: nodes.Node) -> Value | None:
    """`field(default_factory=list)` makes a new list; anything else is the default itself."""
    if isinstance(default, Unknown) and "default_factory" in default.members:
        from lintgrad.machine import calls

        return calls.call_value(m, default.members["default_factory"], Arguments(), node)
    if isinstance(default, Unknown) and "default" in default.members:
        return default.members["default"]
    return default


_PLAIN = {
    "builtins.staticmethod": "static",
    "builtins.classmethod": "class",
    "builtins.property": "property",
    "functools.cached_property": "property",
    "contextlib.contextmanager": "context",
    "contextlib.asynccontextmanager": "context",
}


def decorate(m: Machine, value: Value, decorators: tuple[nodes.Expr, ...]) -> Value:
    """Apply decorators, the innermost first."""
    from lintgrad.machine import calls, expressions

    for expr in reversed(decorators):
        if isinstance(expr, nodes.Attribute) and expr.attr in ("setter", "deleter", "getter"):
            if isinstance(value, FunctionV):
                value.kind = "property" if expr.attr != "setter" else "function"
                m.frame.env.names[f"{value.definition.name}.{expr.attr}"] = value
                previous = m.frame.env.names.get(value.definition.name)
                value = previous if previous is not None else value
            continue
        decorator = expressions.evaluate(m, expr)
        if isinstance(decorator, ContextV) and isinstance(value, FunctionV):
            value.wrappers = (*value.wrappers, decorator)
        elif isinstance(decorator, LibV):
            value = _by_library(m, decorator, value, expr)
        elif isinstance(decorator, (FunctionV, BoundV)) and isinstance(value, FunctionV):
            try:
                made = calls.call_value(m, decorator, Arguments([value]), expr)
            except ProgramRaise:
                continue  # no program would be if it did: something was taken wrongly
            value = made if isinstance(made, (FunctionV, BoundV, Instance)) else value
    return value


def _by_library(m: Machine, decorator: LibV, value: Value, expr: nodes.Expr) -> Value:
    kind = _PLAIN.get(decorator.name)
    if kind is not None and isinstance(value, FunctionV):
        value.kind = kind  # type: ignore[assignment]
        return value
    if isinstance(value, ClassV) and decorator.name.rsplit(".", 1)[-1] in (
        "dataclass",
        "define",
        "attrs",
        "s",
        "frozen",
    ):
        value.record = "dataclass"
        return value
    made = m.library.call(m, decorator.name, Arguments([value]), expr)
    if isinstance(made, ContextV) and isinstance(value, FunctionV):
        value.wrappers = (*value.wrappers, made)
    elif isinstance(made, (FunctionV, ClassV)):
        return made
    return value


def super_of(m: Machine, args: Arguments) -> Value:
    """`super()` or `super(Class, self)`."""
    frame = m.frame
    owner = args.positional[0] if args.positional else frame.owner
    receiver = args.positional[1] if len(args.positional) > 1 else frame.receiver
    if receiver is None and frame.owner is not None:
        receiver = frame.env.lookup("self")
    if isinstance(owner, ClassV) and receiver is not None:
        return SuperV(receiver, owner)
    if isinstance(receiver, Instance) and receiver.module is not None:
        receiver.module.bare = False  # whose `__init__` that calls is not known
    return Unknown("super", foreign=True)
