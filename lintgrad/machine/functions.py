"""Functions and classes of the program: making them, calling them, running generators."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING

from lintgrad.diagnostics import Site
from lintgrad.machine.frames import Frame
from lintgrad.machine.values import (
    FALSE,
    NONE,
    TRUE,
    Arguments,
    BoundV,
    ClassV,
    ContextV,
    DictV,
    FunctionV,
    GeneratorV,
    Instance,
    LibV,
    ListV,
    Lit,
    ModuleState,
    SuperV,
    Unknown,
    Value,
)
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

BUILTINS = frozenset(dir(builtins))
MAX_DEPTH = 28
MAX_RECURSION = 2


def make(m: Machine, definition: nodes.FunctionDef, owner: ClassV | None = None) -> FunctionV:
    """The function that a `def` or lambda makes here, before its decorators."""
    from lintgrad.machine import expressions

    frame = m.frame
    defaults = {
        p.name: expressions.evaluate(m, p.default) for p in definition.parameters if p.default is not None
    }
    return FunctionV(definition, frame.env, frame.path, defaults, owner)


def call_method(m: Machine, receiver: Instance, name: str, node: nodes.Node, *args: Value) -> Value | None:
    """Call the method `name` that the receiver's classes define; None when they do not."""
    from lintgrad.machine import calls, members

    member = members.class_member(receiver.cls, name)
    if member is None:
        return None
    return calls.call_value(m, members.bind(m, receiver, member, node), Arguments(list(args)), node)


def call_function(
    m: Machine, function: FunctionV, receiver: Value | None, args: Arguments, node: nodes.Node
) -> Value:
    """Run a function of the program in its caller's context."""
    definition = function.definition
    if definition.is_generator and function.kind != "context":
        return GeneratorV(function, args, receiver)
    if function.kind == "context":
        return GeneratorV(function, args, receiver)
    if not _may_enter(m, definition, node):
        return m.unknown(node, "call", *args.all(), foreign=True)
    frame = _enter(m, function, receiver, args, node)
    return _run(m, function, frame)


def _may_enter(m: Machine, definition: nodes.FunctionDef, node: nodes.Node) -> bool:
    if len(m.frames) > MAX_DEPTH:
        m.remark(node, "calls go too deep here: not followed")
        return False
    running = sum(1 for frame in m.frames if frame.definition is definition)
    if running >= MAX_RECURSION:
        m.remark(node, "recursion: not followed further")
        return False
    return True


def _enter(
    m: Machine, function: FunctionV, receiver: Value | None, args: Arguments, node: nodes.Node
) -> Frame:
    definition = function.definition
    env = m.environment(function.env)
    bind_arguments(m, function, receiver, args, env.names, node)
    m.program.reached.add(id(definition))
    caller = m.frame
    class_uses = function.owner.definition.uses if function.owner is not None else caller.class_uses
    return Frame(
        env,
        function.path,
        definition.name,
        function,
        receiver,
        function.owner or caller.owner,
        (*caller.stack, m.site(node)),
        globals=definition.globals,
        nonlocals=definition.nonlocals,
        uses=definition.uses,  # type: ignore[arg-type]
        class_uses=class_uses,  # type: ignore[arg-type]
        definition=definition,
    )


def _run(m: Machine, function: FunctionV, frame: Frame) -> Value:
    from lintgrad.machine import statements

    grad = m.grad
    for wrapper in function.wrappers:
        if isinstance(wrapper, ContextV) and wrapper.grad is not None:
            m.grad = wrapper.grad
    m.frames.append(frame)
    try:
        statements.block(m, function.definition.body)
    finally:
        while m.frames[-1] is not frame:
            m.frames.pop()
        m.frames.pop()
        m.grad = grad if function.wrappers else m.grad
    return frame.result if frame.result is not None else NONE


def run_generator(
    m: Machine, generator: GeneratorV, node: nodes.Node, consume: Callable[[Value], bool]
) -> None:
    """Run a generator function of the program, handing each yielded value to `consume`."""
    if not _may_enter(m, generator.function.definition, node):
        return
    frame = _enter(m, generator.function, generator.receiver, generator.args, node)
    frame.on_yield = consume
    _run(m, generator.function, frame)


def bind_arguments(
    m: Machine,
    function: FunctionV,
    receiver: Value | None,
    args: Arguments,
    names: dict[str, Value],
    node: nodes.Node,
) -> None:
    """Bind a call's arguments to the function's parameters, as Python does; what is missing is unknown."""
    bound = receiver is not None and function.kind != "static"
    positional: list[Value] = [*([receiver] if receiver is not None and bound else []), *args.positional]
    keywords = dict(args.keywords)
    for parameter in function.definition.parameters:
        name = parameter.name
        match parameter.kind:
            case "star":
                names[name] = ListV(
                    "tuple", positional, not args.extra, m.tick()
                )
                positional = []
            case "double":
                names[name] = DictV(dict[object, Value](keywords), not args.extra, list(args.extra), born=m.tick())
                keywords = {}
            case _:
                if positional and parameter.kind != "keyword":
                    names[name] = positional.pop(0)
                elif name in keywords and parameter.kind != "positional":
                    names[name] = keywords.pop(name)
                elif name in function.defaults and not args.extra:
                    names[name] = function.defaults[name]
                else:
                    names[name] = _missing(m, function, parameter, args, node)


def _missing(
    m: Machine, function: FunctionV, parameter: nodes.Parameter, args: Arguments, node: nodes.Node
) -> Value:
    value = m.unknown(node, "argument", *args.extra, foreign=True, place=parameter.name)
    uses = function.definition.uses.get(parameter.name, frozenset())
    return m.library.infer(m, parameter.name, uses, value) or value


def inferred_arguments(m: Machine, function: FunctionV, *, method: bool) -> Arguments:
    """Arguments for a function that nothing calls: of the kinds that annotations, uses and names tell."""
    args = Arguments()
    parameters = function.definition.parameters
    for parameter in parameters[1:] if method else parameters:
        if parameter.kind in ("star", "double"):
            continue
        args.keywords[parameter.name] = _inferred(m, function, parameter)
    return args


def _inferred(m: Machine, function: FunctionV, parameter: nodes.Parameter) -> Value:
    annotation = _text(parameter.annotation)
    uses = function.definition.uses.get(parameter.name, frozenset())
    if annotation:
        known = m.library.annotated(m, annotation, parameter.name)
        if known is not None:
            return known
    default = function.defaults.get(parameter.name)
    if isinstance(default, Lit) and default.value is not None:
        return m.unknown(parameter, "option", place=parameter.name)
    if isinstance(default, FunctionV | ClassV | LibV):
        return default
    value = m.unknown(
        parameter, "optional" if default is not None else "argument", foreign=True, place=parameter.name
    )
    return m.library.infer(m, parameter.name, uses, value) or value


def _text(annotation: nodes.Expr | None) -> str:
    """An annotation's name as written, without its arguments."""
    match annotation:
        case nodes.Name():
            return annotation.id
        case nodes.Attribute():
            return f"{_text(annotation.value)}.{annotation.attr}"
        case nodes.Const(value=str()):
            return str(annotation.value)
        case nodes.Subscript():
            return (
                _text(annotation.index)
                if _text(annotation.value).endswith("Optional")
                else _text(annotation.value)
            )
        case nodes.BinOp(op="|"):
            return _text(annotation.left)
        case _:
            return ""


# --- classes ------------------------------------------------------------------------------------


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
    instance.foreign = False
    initializer = members.class_member(cls, "__init__")
    if isinstance(initializer, FunctionV):
        call_function(m, initializer, instance, args, node)
    elif cls.record or _is_exception(cls):
        _fill(m, instance, args, node)
    elif members.has_unknown_base(cls):
        m.library.method(m, instance, "__init__", args, node)  # type: ignore[arg-type]
    return instance


def _is_exception(cls: ClassV) -> bool:
    return any(isinstance(b, LibV) and b.name.endswith(("Exception", "Error")) for b in cls.order)


def _fill(m: Machine, instance: Instance, args: Arguments, node: nodes.Node) -> None:
    """Give a dataclass's or named tuple's instance its fields."""
    for position, name in enumerate(instance.cls.fields):
        given = args.get(position, name)
        default = instance.cls.members.get(name)
        instance.members[name] = (
            given or _default(m, default, node) or m.unknown(node, "field", foreign=True, place=name)
        )
    call_method(m, instance, "__post_init__", node)


def _default(m: Machine, default: Value | None, node: nodes.Node) -> Value | None:
    """`field(default_factory=list)` makes a new list; anything else is the default itself."""
    if isinstance(default, Unknown) and "default_factory" in default.members:
        from lintgrad.machine import calls

        return calls.call_value(m, default.members["default_factory"], Arguments(), node)
    if isinstance(default, Unknown) and "default" in default.members:
        return default.members["default"]
    return default


# --- decorators ---------------------------------------------------------------------------------

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
        elif isinstance(decorator, FunctionV | BoundV) and isinstance(value, FunctionV):
            made = calls.call_value(m, decorator, Arguments([value]), expr)
            value = made if isinstance(made, FunctionV | BoundV | Instance) else value
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
    elif isinstance(made, FunctionV | ClassV):
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
    return Unknown("super", foreign=True)


def boolean(value: bool) -> Lit:
    """The program's True or False."""
    return TRUE if value else FALSE


def root_frame(env: object, path: str, uses: dict[str, frozenset[str]]) -> Frame:
    """The frame of a module's own code."""
    stack: tuple[Site, ...] = ()
    return Frame(env, path, "<module>", stack=stack, uses=uses)  # type: ignore[arg-type]
