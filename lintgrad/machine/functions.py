"""Functions and classes of the program: making them, calling them, running generators."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING

from lintgrad.machine import protocol, replicas
from lintgrad.machine.frames import Frame
from lintgrad.machine.values import (
    NONE,
    Arguments,
    ClassV,
    ContextV,
    DictV,
    FunctionV,
    GeneratorV,
    Instance,
    LibV,
    ListV,
    Lit,
    Value,
)
from lintgrad.program import nodes
from lintgrad.program.effects import PARALLEL

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

BUILTINS = frozenset((*dir(builtins), "BaseExceptionGroup", "ExceptionGroup", "PythonFinalizationError"))
"""Those of the newest Python: what is found does not hang on the one that lintgrad runs on."""

MAX_DEPTH = 28
MAX_RECURSION = 3


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
        # What it would make of a graph is not seen: it may well cut it, as helpers that walk a state do.
        return m.unknown(node, "call", foreign=True)
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
    m.entered.add(id(definition))
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
        uses=definition.uses,
        class_uses=class_uses,
        definition=definition,
    )


def _run(m: Machine, function: FunctionV, frame: Frame) -> Value:
    from lintgrad.machine import statements

    grad, steps = m.grad, m.steps
    imported = frame.path != m.frame.path and m.frame.path == m.program.module.path
    for wrapper in function.wrappers:
        if isinstance(wrapper, ContextV) and wrapper.grad is not None:
            m.switch_grad(wrapper.grad, wrapper.site)
    m.frames.append(frame)
    try:
        statements.block(m, function.definition.body)
    finally:
        while m.frames[-1] is not frame:
            m.frames.pop()
        m.frames.pop()
        m.grad = grad if function.wrappers else m.grad
        if imported:
            m.imported += steps - m.steps
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
                names[name] = ListV("tuple", positional, not args.extra, m.tick())
                positional = []
            case "double":
                names[name] = DictV(
                    dict[object, Value](keywords.items()), not args.extra, list(args.extra), born=m.tick()
                )
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
    # In a frame of its own, as it may be another file's.
    m.frames.append(Frame(function.env, function.path, "<parameters>", uses=m.frame.uses))
    for parameter in parameters[1:] if method else parameters:
        if parameter.kind in ("star", "double"):
            continue
        args.keywords[parameter.name] = _inferred(m, function, parameter)
        protocol.mark_given(args.keywords[parameter.name])
    m.frames.pop()
    return args


def _inferred(m: Machine, function: FunctionV, parameter: nodes.Parameter) -> Value:
    annotation = _text(parameter.annotation)
    uses = function.definition.uses.get(parameter.name, frozenset())
    if annotation:
        known = m.library.annotated(m, annotation, parameter.name)
        if known is not None:
            return known
    default = function.defaults.get(parameter.name)
    if parameter.name in _RANKS and default is None and m.effects.of_function(function.definition) & PARALLEL:
        return replicas.rank(m, parameter)
    if isinstance(default, Lit) and default.value is not None:
        return m.unknown(parameter, "option", place=parameter.name)
    if isinstance(default, (FunctionV, ClassV, LibV)):
        return default
    value = m.unknown(
        parameter, "optional" if default is not None else "argument", foreign=True, place=parameter.name
    )
    return m.library.infer(m, parameter.name, uses, value) or value


_RANKS = frozenset("rank local_rank global_rank".split())


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
