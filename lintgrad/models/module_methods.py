"""The methods that all modules have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine import protocol
from lintgrad.machine.modes import BareModule, ModeChange
from lintgrad.machine.turns import chain
from lintgrad.machine.values import (
    NONE,
    Arguments,
    DictV,
    Instance,
    ListV,
    Lit,
    ModuleState,
    ModuleV,
    Range,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import modules, states, tensors
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


SELF_RETURNING = frozenset(
    """
    to cuda cpu float double half bfloat16 type train eval requires_grad_ apply share_memory ipu xpu
    compile to_empty
    """.split()
)


def method(m: Machine, receiver: Value, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """A method that every module has, on a library's module or on an instance of the program."""
    state = protocol.module_state(receiver)
    if state is None:
        return None
    match name:
        case "__init__":
            return NONE
        case "parameters" | "buffers":
            return parameters(m, receiver) if name == "parameters" else ListV("list", [], False, m.tick())
        case "named_parameters":
            return named_parameters(m, receiver, node)
        case "zero_grad":
            zeros = tensors.flag(args.get(0, "set_to_none"), True) is False
            m.clear(node, m.leaves_of(receiver), wild=True, zeros=zeros)
            return NONE
        case "modules" | "children":
            return ListV("list", submodules(receiver, deep=name == "modules"), not state.opaque, m.tick())
        case "named_modules" | "named_children":
            found = submodules(receiver, deep=name == "named_modules")
            return ListV("list", [_named(m, node, one) for one in found], False, m.tick())
        case "register_buffer" | "register_parameter" | "add_module" | "register_module":
            return _register(m, receiver, state, name, args, node)
        case "extra_repr" | "named_buffers":
            return m.unknown(node, "plain")
        case _:
            return _more_methods(m, receiver, state, name, args, node)


def _more_methods(
    m: Machine, receiver: Value, state: ModuleState, name: str, args: Arguments, node: nodes.Expr
) -> Value | None:
    if name in ("state_dict", "load_state_dict"):
        return states.method(m, receiver, name, args, node)
    if name in SELF_RETURNING:
        _set_mode(m, receiver, name, args, node)
        return receiver
    if name == "forward" and isinstance(receiver, ModuleV):
        return modules.forward(m, receiver, args, node)
    if name.startswith("register_") and name.endswith("hook"):
        if name == "register_forward_hook" and args.positional:
            state.hooks.append(args.positional[0])
        return m.unknown(node, "hook")
    if isinstance(receiver, ModuleV) and receiver.kind in modules.CONTAINERS:
        return _container_method(m, receiver, name, args, node)
    if name == "get_submodule" and isinstance(receiver, ModuleV) and receiver.state.opaque:
        return receiver
    return None


def _set_mode(m: Machine, receiver: Value, name: str, args: Arguments, node: nodes.Expr) -> None:
    if name in ("train", "eval"):
        mode = tensors.flag(args.get(0, "mode"), True) if name == "train" else False
        turned = ModeChange(
            **m.here(node),
            name=protocol.written(node),
            training=mode,
        )
        m.record(turned)
        for one in submodules(receiver, deep=True):
            state = protocol.module_state(one)
            if state is not None:
                state.training, state.turned = mode, turned
    elif name == "requires_grad_":
        wanted = tensors.flag(args.get(0, "requires_grad"), True)
        for leaf in m.leaves_of(receiver):
            leaf.requires_grad = wanted is not False
            leaf.asked = wanted is True


def parameters(m: Machine, receiver: Value) -> ListV:
    """`module.parameters()`: the leaves as tensors."""
    leaves = m.leaves_of(receiver)
    found: list[Value] = [leaf.tensor for leaf in leaves if leaf.tensor is not None]
    state = protocol.module_state(receiver)
    exact = state is not None and not any(leaf.opaque for leaf in leaves)
    return ListV("list", found, exact, m.tick(), whole=True)


def named_parameters(m: Machine, receiver: Value, node: nodes.Node) -> ListV:
    """`module.named_parameters()`: pairs of a name, known where the way to the parameter is, and a leaf."""
    found = parameters(m, receiver)
    names = {id(tensor): name for name, tensor in _paths(m, receiver)}
    pairs: list[Value] = [
        ListV("tuple", [Lit(names[id(t)]) if id(t) in names else m.unknown(node, "name"), t], True, m.tick())
        for t in found.items
    ]
    return ListV("list", pairs, found.exact, m.tick())


def _paths(m: Machine, receiver: Value) -> list[tuple[str, Value]]:
    """Each parameter's tensor with its dotted name, as far as containers' elements are all known."""
    found: list[tuple[str, Value]] = []
    seen: set[int] = set()
    todo: list[tuple[str, Value]] = [("", receiver)]
    while todo:
        prefix, one = todo.pop()
        one = one.acts_as if isinstance(one, Unknown) and one.acts_as is not None else one
        state = protocol.module_state(one)
        if isinstance(one, Tensor) and one.leaf is not None and one.leaf.tensor is not None:
            found.append((prefix[:-1], one.leaf.tensor))
        if state is None or id(one) in seen:
            continue
        m.spend()
        seen.add(id(one))
        children: list[tuple[str, Value]] = [*state.parameters.items(), *state.children.items()]
        if isinstance(one, ModuleV) and one.exact and not state.children:
            children += [(str(position), item) for position, item in enumerate(one.items)]
        todo += [(f"{prefix}{name}.", child) for name, child in children]
    return found


def _named(m: Machine, node: nodes.Node, value: Value) -> ListV:
    return ListV("tuple", [m.unknown(node, "name"), value], True, m.tick())


def submodules(receiver: Value, *, deep: bool) -> list[Value]:
    """The module's children; with `deep` the module itself and all below it, each once."""
    found: dict[int, Value] = {}

    def visit(one: Value, level: int) -> None:
        if isinstance(one, Unknown) and one.acts_as is not None:
            one = one.acts_as
        state = protocol.module_state(one)
        if state is None or id(one) in found:
            return
        if level > 0 or deep:
            found[id(one)] = one
        if level == 0 or deep:
            for child in [*state.children.values(), *(one.items if isinstance(one, ModuleV) else [])]:
                visit(child, level + 1)

    visit(receiver, 0)
    return list(found.values())


def _register(
    m: Machine, receiver: Value, state: ModuleState, name: str, args: Arguments, node: nodes.Expr
) -> Value:
    key, value = args.get(0, "name"), args.get(1, "tensor") or args.get(1, "param") or args.get(1, "module")
    if isinstance(key, Lit) and value is not None:
        register(m, receiver, state, str(key.value), value, node)
        if isinstance(receiver, (Instance, ModuleV)):
            receiver.members[str(key.value)] = value
    elif value is not None:
        state.children[f"?{len(state.children)}"] = value
    if value is not None and isinstance(receiver, ModuleV) and receiver.kind in modules.CONTAINERS:
        receiver.items.append(value)
    return NONE


def register(
    m: Machine, receiver: Value, state: ModuleState, name: str, value: Value, node: nodes.Node
) -> None:
    """What an attribute's value makes of it: a parameter, a submodule, or nothing."""
    if state.bare:
        _note_bare(m, state, name, value, node)
    if (
        isinstance(value, Tensor)
        and value.leaf is not None
        and value.leaf.is_parameter
        and value.node is None
    ):
        state.parameters[name] = value
        value.leaf.loose = False
        if not value.leaf.name or value.leaf.name in ("weight", "bias"):
            value.leaf.name = name
        value.name = value.storage.name = value.leaf.name
    elif protocol.module_state(value) is not None:
        state.children[name] = value
        _settle(m, value)
        for key, tensor in (protocol.module_state(value) or state).parameters.items():
            if tensor.leaf is not None and tensor.leaf.name == key:
                tensor.leaf.name = tensor.name = tensor.storage.name = f"{name}.{key}"
        if isinstance(value, ModuleV) and not value.name:
            value.name = name
    elif isinstance(value, Tensor):
        value.storage.name = value.storage.name or name
        state.parameters.pop(name, None)
        definition = m.frame.definition
        if value.leaf is not None and value.leaf.requires_grad and definition is not None:
            # A tensor with gradients that is no nn.Parameter: the module does not know of it.
            value.leaf.loose = value.leaf.loose or (value.node is None and definition.name == "__init__")


def _note_bare(m: Machine, state: ModuleState, name: str, value: Value, node: nodes.Node) -> None:
    """`nn.Module` takes no layers or parameters before its own `__init__` has made room for them."""
    inner = protocol.module_state(value)
    is_parameter = isinstance(value, Tensor) and value.leaf is not None and value.leaf.is_parameter
    if inner is None and not (is_parameter and isinstance(value, Tensor) and value.node is None):
        return
    state.bare = False  # the program ends here: what follows is not reached
    m.record(
        BareModule(
            **m.here(node),
            name=name,
            kind="module" if inner is not None else "parameters",
            confidence=inner.confidence if inner is not None else Confidence.CERTAIN,
        )
    )


def _settle(m: Machine, value: Value) -> None:
    """The parameters of `value` belong to a module now."""
    for leaf in m.leaves_of(value):
        leaf.loose = False


def _container_method(
    m: Machine, receiver: ModuleV, name: str, args: Arguments, node: nodes.Expr
) -> Value | None:
    match name:
        case "append" | "insert" | "add_module":
            receiver.items.append(args.positional[-1] if args.positional else NONE)
            _settle(m, receiver.items[-1])
            loops_since = (turn.loop for turn in chain(m.turn) if turn.loop.started > receiver.born)
            if not all(loop.bounded for loop in loops_since):
                receiver.exact = False
            return receiver
        case "extend":
            from lintgrad.machine import loops

            items, bounded = loops.elements(m, args.positional[0] if args.positional else NONE, node)
            receiver.items += items
            _settle(m, receiver)
            receiver.exact = receiver.exact and bounded
            return receiver
        case "items" | "values" | "keys":
            return Range(name, (DictV(dict[object, Value](receiver.state.children.items()), receiver.exact),))
        case _:
            return None


def item(m: Machine, receiver: ModuleV, index: Value, node: nodes.Node) -> Value | None:
    """`container[index]`."""
    if receiver.kind not in modules.CONTAINERS:
        return None
    if isinstance(index, Lit):
        if isinstance(index.value, str) and index.value in receiver.state.children:
            return receiver.state.children[index.value]
        if isinstance(index.value, int) and -len(receiver.items) <= index.value < len(receiver.items):
            return receiver.items[index.value]
    if isinstance(index, ListV):
        return ModuleV(receiver.kind, ModuleState(), list(receiver.items), exact=False)
    return receiver.items[-1] if receiver.items else None
