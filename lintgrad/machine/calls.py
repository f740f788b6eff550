"""Calls: who is called, with what, and what code that is not seen may have done."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from lintgrad.machine import builtins, classes, containers, expressions, functions, loops, members
from lintgrad.machine.graph import Leaf, Node
from lintgrad.machine.values import (
    Arguments,
    BoundV,
    ClassV,
    ContextV,
    DictV,
    FileV,
    FunctionV,
    GeneratorV,
    GradOf,
    Instance,
    Iterator,
    LibV,
    ListV,
    Lit,
    Mode,
    ModuleV,
    OptimizerV,
    PartialV,
    Range,
    SuperV,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

# Code that is not seen and has such a name is taken not to touch gradients or walk graphs.
HARMLESS = re.compile(
    r"log|print|write|writer|scalar|summary|save|plot|show|record|report|metric|meter|append|track|tqdm|"
    r"postfix|eval|valid|test|infer|predict|sample|visual|count|len|format|dump|hist|image|accura|"
    r"get_|device|info|debug|warn|seed|load|exists|join|time|isinstance|str|repr|collect|barrier|watch",
    re.IGNORECASE,
)


# What is called so is taken to hand on the graph of what it is given.
_LOSS = re.compile(r"loss|crit|bce|mse|nll|entropy|objective|penalty|_ce$|^ce|l1|^fn$|func", re.IGNORECASE)


@lru_cache(maxsize=4096)
def is_harmless(name: str) -> bool:
    """Whether code that is not seen and has this name is taken to leave gradients and graphs alone."""
    return HARMLESS.search(name) is not None


@lru_cache(maxsize=4096)
def _is_loss(name: str) -> bool:
    return _LOSS.search(name) is not None


# A module's methods that begin its training anew.
_RENEWS = frozenset("reset_parameters load_state_dict apply init_weights reset".split())


def no_arguments() -> Arguments:
    """An empty argument list."""
    return Arguments()


def call(m: Machine, expr: nodes.Call) -> Value:
    """A call expression."""
    func = expr.func
    if isinstance(func, nodes.Attribute):
        receiver = expressions.evaluate(m, func.value)
        return call_attribute(m, receiver, func, arguments(m, expr), expr)
    if isinstance(func, nodes.Name) and func.id == "super":
        return classes.super_of(m, arguments(m, expr))
    callee = expressions.evaluate(m, func)
    return call_value(m, callee, arguments(m, expr), expr)


def call_attribute(
    m: Machine, receiver: Value, func: nodes.Attribute, args: Arguments, expr: nodes.Call
) -> Value:
    """Call `receiver.attr(...)`, the receiver and the arguments evaluated."""
    if isinstance(receiver, (LibV, FileV)):
        return call_value(m, members.read(m, receiver, func.attr, func), args, expr)
    return call_member(m, receiver, func.attr, args, expr)


def arguments(m: Machine, expr: nodes.Call) -> Arguments:
    """Evaluate a call's arguments."""
    args = Arguments()
    for argument in expr.arguments:
        value = expressions.evaluate(m, argument.value)
        if not argument.star:
            if argument.keyword is None:
                args.positional.append(value)
            else:
                args.keywords[argument.keyword] = value
        elif argument.star == 1:
            if isinstance(value, ListV) and value.items:
                args.positional += value.items  # all: a layer list's last one says what comes out
                continue
            items, bounded = loops.elements(m, value, argument)
            if bounded or isinstance(value, ListV):
                args.positional += items
            else:
                args.extra.append(value)
        elif isinstance(value, DictV) and value.exact:
            args.keywords.update({k: v for k, v in value.items.items() if isinstance(k, str)})
        else:
            args.extra.append(value)
    return args


def call_value(m: Machine, callee: Value, args: Arguments, node: nodes.Node) -> Value:
    """Call a value."""
    match callee:
        case FunctionV():
            return functions.call_function(m, callee, None, args, node)
        case BoundV(function=FunctionV() as function):
            return functions.call_function(m, function, callee.receiver, args, node)
        case BoundV(function=str() as name):
            return _library_method(m, callee.receiver, name, args, node)
        case LibV():
            return _library_call(m, callee.name, args, node)
        case ClassV():
            return classes.instantiate(m, callee, args, node)
        case PartialV():
            joined = Arguments(
                [*callee.args.positional, *args.positional],
                {**callee.args.keywords, **args.keywords},
                args.extra,
            )
            return call_value(m, callee.function, joined, node)
        case Instance():
            return _call_instance(m, callee, args, node)
        case Unknown() if callee.acts_as is not None and not isinstance(callee.acts_as, Tensor):
            return call_value(m, callee.acts_as, args, node)
    found = m.library.invoke(m, callee, args, node)  # type: ignore[arg-type]
    if found is not None:
        return found
    return foreign_call(m, getattr(callee, "place", ""), callee, args, node)


def _call_instance(m: Machine, callee: Instance, args: Arguments, node: nodes.Node) -> Value:
    for name in ("__call__", "forward") if callee.module is not None else ("__call__",):
        member = members.class_member(callee.cls, name)
        if isinstance(member, FunctionV):
            if name == "forward":
                m.library.entered(m, callee, args, node)  # type: ignore[arg-type]
            return functions.call_function(m, member, callee, args, node)
    found = m.library.invoke(m, callee, args, node)  # type: ignore[arg-type]
    return found if found is not None else foreign_call(m, callee.cls.definition.name, callee, args, node)


def call_member(m: Machine, receiver: Value, name: str, args: Arguments, node: nodes.Expr) -> Value:
    """`receiver.name(...)`."""
    if name in _RENEWS:
        for leaf in m.leaves_of(receiver):
            leaf.renewed = m.seq
            leaf.storage.filled = leaf.storage.filled or name == "load_state_dict"
    if (
        isinstance(receiver, Unknown)
        and receiver.acts_as is not None
        and not isinstance(receiver.acts_as, Tensor)
    ):
        receiver = receiver.acts_as
    if isinstance(receiver, Instance):
        found = receiver.members.get(name)
        if found is not None:
            return call_value(m, found, args, node)
        member = members.class_member(receiver.cls, name)
        if member is not None:
            return call_value(m, members.bind(m, receiver, member, node), args, node)
        return _library_method(m, receiver, name, args, node)
    if isinstance(receiver, SuperV):
        member = members.class_member(members.class_of(receiver.receiver), name, receiver.owner)
        if member is not None:
            return call_value(m, members.bind(m, receiver.receiver, member, node), args, node)
        return _library_method(m, receiver, name, args, node)
    if isinstance(receiver, ClassV):
        return call_value(m, members.read(m, receiver, name, node), args, node)
    if isinstance(receiver, (ModuleV, OptimizerV, Unknown)):
        known = receiver.members.get(name)
        if known is not None and not isinstance(known, Unknown):
            return call_value(m, known, args, node)
    return _library_method(m, receiver, name, args, node)


def _library_method(m: Machine, receiver: Value, name: str, args: Arguments, node: nodes.Node) -> Value:
    if isinstance(receiver, (ListV, DictV, Range, Iterator, GeneratorV, Lit)):
        found = containers.method(m, receiver, name, args, node)
        if found is not None:
            return found
    found = m.library.method(m, receiver, name, args, node)  # type: ignore[arg-type]
    if found is not None:
        return found
    if isinstance(receiver, Instance) and not members.has_unknown_base(receiver.cls):
        getter = members.class_member(receiver.cls, "__getattr__")
        if isinstance(getter, FunctionV):
            return call_value(m, members.read(m, receiver, name, node), args, node)
    if isinstance(receiver, Unknown) and name in receiver.members:
        known = receiver.members[name]
        if not isinstance(known, Unknown):
            return call_value(m, known, args, node)
    return foreign_call(m, name, receiver, args, node)


def _library_call(m: Machine, name: str, args: Arguments, node: nodes.Node) -> Value:
    if name.startswith("builtins."):
        if name not in _ASKS_NOTHING:
            read_gradients(*args.all())
        found = builtins.builtin(m, name.removeprefix("builtins."), args, node)
        if found is not None:
            return found
    found = m.library.call(m, name, args, node)  # type: ignore[arg-type]
    if found is not None:
        return found
    return foreign_call(m, name.rsplit(".", 1)[-1], LibV(name), args, node)


_ASKS_NOTHING = frozenset("builtins.isinstance builtins.hasattr builtins.id builtins.type".split())


def read_gradients(*values: Value) -> None:
    """Gradients that are handed on, a list of them too, are used, and be it to be shown."""
    for value in [one for v in values for one in (v.items if isinstance(v, ListV) else [v])]:
        if isinstance(value, GradOf):
            for gradient in value.leaf.gradients:
                gradient.read = True


def _may_initialize(given: list[Value]) -> None:
    """Code that is not seen may have been the `__init__` of a module's base."""
    for value in given:
        if isinstance(value, Instance) and value.module is not None:
            value.module.bare = False


_INERT = frozenset((Lit, Mode, Symbol, LibV))
"""Kinds of values through which nothing can be reached."""


def foreign_call(m: Machine, name: str, callee: Value, args: Arguments, node: nodes.Node) -> Value:
    """Call code that is not seen: it may do anything to what it is given, unless its name says no."""
    given = args.all()
    inert = not any([value.__class__ not in _INERT for value in given])  # noqa: C419 - twice as fast
    if not inert:
        read_gradients(*given)
    harmless = is_harmless(name)
    if name in ("zero_grad", "zero_gradients", "clear_grad", "clear_gradients", "zero_grads"):
        m.clear(node, [leaf for v in given for leaf in m.leaves_of(v)], name=name, wild=True)
    m.trace.unseen_step = m.trace.unseen_step or _may_step(name, given)
    receiver_is_object = isinstance(callee, (Instance, SuperV))
    _may_initialize(given)
    if not harmless and not inert:
        for value in given:
            _run_callback(m, value, node)
            m.touch(value)
        m.escape(*given)
        if m.sources(*given) or any(isinstance(v, Unknown) and v.foreign for v in given):
            m.foreign_graph = m.seq
            m.remark(node, f"`{name or 'this'}` is code that is not seen: it may do anything with this graph")
    if receiver_is_object:
        target = callee.receiver if isinstance(callee, SuperV) else callee
        if isinstance(target, Instance) and members.has_unknown_base(target.cls) and name != "__init__":
            forget(m, target, touch=not harmless)
    return _foreign_result(m, name, callee, given, node)


def _foreign_result(m: Machine, name: str, callee: Value, given: list[Value], node: nodes.Node) -> Unknown:
    """What code that is not seen gives back: it may carry the graph of what it was given."""
    result = m.unknown(
        node,
        "call",
        *(v for v in (callee, *given) if not _is_object(v)),
        foreign=_may_build(m, callee, given),
    )
    result.place = name
    handed = tuple(s for s in result.sources if isinstance(s, Leaf) and s.is_parameter)
    result.sources = tuple(s for s in result.sources if s not in handed)
    result.leaves = (*handed, *_module_leaves(m, [callee, *given]))[:8]
    if result.sources and not isinstance(callee, LibV):
        m.output(node, result, (*result.sources, *result.leaves), name or "call", seen=False)
    elif result.sources:
        m.output(node, result, result.sources, name or "call", seen=False)
    if not _is_loss(name) and not m.sources(callee):
        for made in result.sources:
            if isinstance(made, Node) and made.op == (name or "call"):
                made.unseen = True
    return result


def _may_step(name: str, given: list[Value]) -> bool:
    """Whether code that is not seen may step an optimizer: `agent.train_step(x)`, not `env.step(action)`."""
    if "step" not in name or is_harmless(name):
        return False
    return name != "step" or all(isinstance(value, Lit) and value.value is None for value in given)


def _is_object(value: Value) -> bool:
    return isinstance(value, (Instance, OptimizerV, LibV, ContextV))


def _may_build(m: Machine, callee: Value, given: list[Value]) -> bool:
    """Whether unseen code could bring a graph of its own: it is no known library's plain function."""
    if isinstance(callee, LibV):
        root = callee.name.split(".", 1)[0]
        return root not in _PLAIN_LIBRARIES and "builtins" not in root
    plain = isinstance(callee, Unknown) and callee.reason in _PLAIN_REASONS and not callee.foreign
    return not plain or any(isinstance(v, Unknown) and v.foreign for v in given)


_PLAIN_REASONS = (
    "plain",
    "option",
    "loader",
    "text",
    "norm",
    "length",
    "boolean",
    "element",
    "shape",
    "device",
    "dtype",
)


_PLAIN_LIBRARIES = frozenset(
    """
    os sys re math random time datetime json csv pickle copy glob pathlib shutil logging argparse
    collections itertools functools numpy np scipy pandas pd sklearn matplotlib plt PIL cv2 tqdm
    yaml tensorboardX wandb gym gymnasium warnings string io typing subprocess threading
    multiprocessing queue uuid hashlib abc enum dataclasses contextlib operator statistics platform
    socket urllib requests zipfile tarfile gzip tempfile traceback inspect types heapq bisect nltk
    spacy torchtext imageio seaborn
    """.split()
)


def _module_leaves(m: Machine, given: list[Value]) -> tuple[Leaf, ...]:
    """Parameters of modules handed to unseen code: its result may be their output."""
    leaves: list[Leaf] = []
    for value in given:
        if isinstance(value, Unknown):
            leaves += value.leaves[: 8 - len(leaves)]
        if isinstance(value, (ModuleV, Instance)) and len(leaves) < 8:
            leaves += m.leaves_of(value)[: 8 - len(leaves)]
    return tuple(leaves)


def _run_callback(m: Machine, value: Value, node: nodes.Node) -> None:
    """A function of the program handed to unseen code may be called by it."""
    if isinstance(value, (FunctionV, BoundV)):
        function = value.function if isinstance(value, BoundV) else value
        if isinstance(function, FunctionV):
            m.trace.unseen_step = m.trace.unseen_step or "step" in function.definition.words
            m.program.reached.discard(id(function.definition))
            m.entered.discard(id(function.definition))


def forget(m: Machine, instance: Instance, *, touch: bool = True) -> None:
    """Unseen code had `instance`: its tensors may be others now, its optimizers used."""
    for name, value in list(instance.members.items()):
        if isinstance(value, Tensor) and value.node is not None:
            instance.members[name] = Unknown("attribute", value.site, foreign=True, place=name)
        elif isinstance(value, Unknown) and (value.acts_as is None or isinstance(value.acts_as, Tensor)):
            if value.reason in ("attribute", "call"):
                del instance.members[name]
    if touch:
        m.touch(instance)
        m.escape(*instance.members.values())
