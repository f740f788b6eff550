"""nn.Module: layers and containers, their forward, and the methods that all modules have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine import calls, protocol
from lintgrad.machine.graph import Leaf, Saved
from lintgrad.machine.observations import Forward
from lintgrad.machine.values import (
    NONE,
    Arguments,
    DictV,
    Instance,
    ListV,
    Lit,
    ModuleState,
    ModuleV,
    Numel,
    Range,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import layers, ops, shapes, tensors

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

CONTAINERS = ("Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict")
SELF_RETURNING = frozenset(
    "to cuda cpu float double half bfloat16 type train eval requires_grad_ apply share_memory ipu xpu compile to_empty".split()
)


def opaque(m: Machine, node: nodes.Node, name: str, confidence: Confidence = Confidence.LIKELY) -> ModuleV:
    """A module whose layers are not seen."""
    leaf = Leaf(name, m.site(node), m.storage(name), opaque=True)
    leaf.tensor = Tensor(leaf.storage, leaf=leaf, name=f"parameters of {name}")
    state = ModuleState(opaque=True, opaque_leaf=leaf, training=None, confidence=confidence)
    return ModuleV("", state, name=name)


def construct(m: Machine, kind: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """`nn.Linear(...)` and its like; None for a class that is no layer."""
    if kind in CONTAINERS:
        return _container(m, kind, args, node)
    if kind in ("Parameter", "Buffer"):
        return parameter(m, args, node)
    info = layers.layer_info(kind)
    if info is None:
        return None
    options = dict(zip(info.constructor, args.positional, strict=False)) | args.keywords
    constants = {k: v.value for k, v in options.items() if isinstance(v, Lit)}
    state = ModuleState()
    for name in layers.layer_params(kind, constants):
        state.parameters[name] = m.leaf_tensor(node, name, parameter=True)
    return ModuleV(kind, state, options=options)


def _container(m: Machine, kind: str, args: Arguments, node: nodes.Expr) -> ModuleV:
    made = ModuleV(kind, ModuleState())
    fill(m, made, args, node)
    return made


def fill(m: Machine, made: ModuleV, args: Arguments, node: nodes.Node) -> None:
    """Put the constructor's arguments into a container."""
    given = args.positional
    if made.kind in ("ModuleDict", "ParameterDict") or (given and isinstance(given[0], DictV)):
        source = given[0] if given else None
        if isinstance(source, DictV):
            for key, value in source.items.items():
                made.state.children[str(key)] = value
                made.items.append(value)
            made.exact = source.exact
        return
    if made.kind != "Sequential" and given:
        from lintgrad.machine import loops

        items, made.exact = loops.elements(m, given[0], node)
        made.items = items
        return
    made.items = list(given)
    made.exact = not args.extra


def parameter(m: Machine, args: Arguments, node: nodes.Expr) -> Tensor:
    """`nn.Parameter(data, requires_grad=True)`."""
    wanted = tensors.flag(args.get(1, "requires_grad"), True)
    made = m.leaf_tensor(node, "", parameter=True, requires_grad=wanted is not False)
    data = m.as_tensor(args.get(0, "data"), node)
    if data is not None:
        made.numel = data.numel
    return made


# --- forward ------------------------------------------------------------------------------------


def forward(m: Machine, module: ModuleV, args: Arguments, node: nodes.Expr) -> Value | None:
    """Call a library's module."""
    if module.state.opaque:
        return _opaque_forward(m, module, args, node)
    if module.kind == "Sequential":
        return chain(m, module.items, args, node)
    if module.kind in CONTAINERS:
        return None
    info = layers.layer_info(module.kind)
    if info is None:
        return _opaque_forward(m, module, args, node)
    if info.kind == "loss":
        return _loss(m, module, info, args, node)
    given = ops.operands(m, [*args.positional, *args.keywords.values()], node)
    if info.kind in ("activation", "dropout", "other", "layer", "norm") and not module.state.parameters:
        return _stateless(m, module, info, args, node)
    return _layer(m, module, info, given, node)


def run_hooks(m: Machine, module: Value, args: Arguments, output: Value, node: nodes.Expr) -> Value:
    """Call a module's forward hooks on what it was given and gave back."""
    state = protocol.module_state(module)
    for hook in list(state.hooks) if state is not None else []:
        inputs = ListV("tuple", list(args.positional), True, m.tick())
        changed = calls.call_value(m, hook, Arguments([module, inputs, output]), node)
        if not (isinstance(changed, Lit) and changed.value is None):
            output = changed if isinstance(changed, Tensor) else output
    return output


def chain(m: Machine, items: list[Value], args: Arguments, node: nodes.Expr) -> Value:
    """Call modules one after another, each on the result of the one before."""
    value: Value = args.positional[0] if args.positional else m.unknown(node, "input", *args.all())
    for item in items:
        value = calls.call_value(m, item, Arguments([value]), node)
    return value


def _opaque_forward(m: Machine, module: ModuleV, args: Arguments, node: nodes.Expr) -> Value:
    record(m, module, module.name, node)
    leaves = [leaf for leaf in m.leaves_of(module) if leaf.requires_grad]
    result = m.unknown(node, "output", *args.all(), foreign=not leaves)
    result.place = module.name
    m.output(node, result, (*result.sources, *leaves), module.name or "module")
    return result


def record(m: Machine, module: Value, name: str, node: nodes.Node) -> None:
    """Note a forward."""
    m.record(
        Forward(
            site=m.site(node), stack=m.stack, turn=m.turn, seq=m.tick(), name=name, module=module, grad=m.grad
        )
    )


def _stateless(m: Machine, module: ModuleV, info: layers.LayerInfo, args: Arguments, node: nodes.Expr) -> Value:
    """An activation, pooling or dropout layer is its function."""
    keywords = {}
    if tensors.flag(module.options.get("inplace"), False):
        keywords["inplace"] = Lit(True)
    training = module.state.training is not False
    return ops.apply(m, info.op, list(args.positional), keywords, node, training=training, variant=info.variant)


def _layer(
    m: Machine,
    module: ModuleV,
    info: layers.LayerInfo,
    given: list[tuple[Value, Tensor | None]],
    node: nodes.Expr,
) -> Value:
    """A layer with parameters: one node that keeps what the layer's functions keep."""
    inputs = [t for _, t in given if t is not None]
    own = list(module.state.parameters.values())
    tapes = ops.tapes_of([*inputs, *own])
    result = Tensor(m.storage(), site=m.site(node))
    result.numel = _layer_numel(module, info)
    width = module.options.get(info.width) if info.width else None
    if module.kind == "Linear" and inputs and inputs[0].shape and isinstance(width, Lit):
        result.shape = (*inputs[0].shape[:-1], int(str(width.value)))
        result.numel = shapes.numel(result.shape)
    if tapes and m.grad:
        needs = any(t.tape is not None for t in inputs)
        trained = any(t.tape is not None for t in own)
        kept = layers.layer_saved(module.kind, needs, trained, module.state.training is not False)
        watched = [Saved(t.storage, t.storage.version) for t in inputs if kept.input]
        for name, weight in module.state.parameters.items():
            if name in kept.params or layers.EVERY in kept.params:
                watched.append(Saved(weight.storage, weight.storage.version))
        if kept.result:
            watched.append(Saved(result.storage, result.storage.version))
        result.node = m.node(module.kind, node, tuple(tapes), tuple(watched), kept.anything)
    return result if info.returns == "tensor" else _several(m, module, result, node)


def _layer_numel(module: ModuleV, info: layers.LayerInfo) -> Numel:
    size = module.options.get(info.width) if info.width else None
    if isinstance(size, Lit) and isinstance(size.value, int):
        return Numel.MANY if size.value > 1 else Numel.UNKNOWN
    return Numel.UNKNOWN


def _several(m: Machine, module: ModuleV, result: Tensor, node: nodes.Expr) -> Value:
    """LSTM gives (out, (h, c)), GRU and RNN (out, h), attention (out, weights)."""

    def another() -> Tensor:
        return Tensor(m.storage(), node=result.node, site=result.site)

    if module.kind == "LSTM":
        state: Value = ListV("tuple", [another(), another()], True, m.tick())
        return ListV("tuple", [result, state], True, m.tick())
    if module.kind == "LSTMCell":
        return ListV("tuple", [result, another()], True, m.tick())
    return ListV("tuple", [result, another()], True, m.tick())


def _loss(m: Machine, module: ModuleV, info: layers.LayerInfo, args: Arguments, node: nodes.Expr) -> Value:
    keywords = {k: v for k, v in module.options.items() if k == "reduction"}
    return ops.apply(m, info.op, list(args.positional), {**args.keywords, **keywords}, node)


# --- methods ------------------------------------------------------------------------------------


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
            return ListV("list", [_named(m, node, t) for t in parameters(m, receiver).items], False, m.tick())
        case "zero_grad":
            m.clear(node, m.leaves_of(receiver), wild=True)
            return NONE
        case "modules" | "children":
            return ListV("list", submodules(receiver, deep=name == "modules"), not state.opaque, m.tick())
        case "named_modules" | "named_children":
            found = submodules(receiver, deep=name == "named_modules")
            return ListV("list", [_named(m, node, one) for one in found], False, m.tick())
        case "register_buffer" | "register_parameter" | "add_module" | "register_module":
            return _register(m, receiver, state, name, args, node)
        case "state_dict" | "load_state_dict" | "extra_repr" | "named_buffers":
            return m.unknown(node, "state")
        case _:
            return _more_methods(m, receiver, state, name, args, node)


def _more_methods(
    m: Machine, receiver: Value, state: ModuleState, name: str, args: Arguments, node: nodes.Expr
) -> Value | None:
    if name in SELF_RETURNING:
        _set_mode(m, receiver, name, args)
        return receiver
    if name == "forward" and isinstance(receiver, ModuleV):
        return forward(m, receiver, args, node)
    if name.startswith("register_") and name.endswith("hook"):
        if name == "register_forward_hook" and args.positional:
            state.hooks.append(args.positional[0])
        return m.unknown(node, "hook")
    if isinstance(receiver, ModuleV) and receiver.kind in CONTAINERS:
        return _container_method(m, receiver, name, args, node)
    if name == "get_submodule" and isinstance(receiver, ModuleV) and receiver.state.opaque:
        return receiver
    return None


def _set_mode(m: Machine, receiver: Value, name: str, args: Arguments) -> None:
    if name in ("train", "eval"):
        mode = tensors.flag(args.get(0, "mode"), True) if name == "train" else False
        for one in submodules(receiver, deep=True):
            state = protocol.module_state(one)
            if state is not None:
                state.training = mode
    elif name == "requires_grad_":
        wanted = tensors.flag(args.get(0, "requires_grad"), True)
        for leaf in m.leaves_of(receiver):
            leaf.requires_grad = wanted is not False


def name_of(value: Value) -> str:
    """How a module is called in messages."""
    return getattr(value, "name", "") or ""


def parameters(m: Machine, receiver: Value) -> ListV:
    """`module.parameters()`: the leaves as tensors."""
    found: list[Value] = [leaf.tensor for leaf in m.leaves_of(receiver) if leaf.tensor is not None]
    state = protocol.module_state(receiver)
    exact = state is not None and not any(leaf.opaque for leaf in m.leaves_of(receiver))
    return ListV("list", found, exact, m.tick())


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
        if isinstance(receiver, Instance | ModuleV):
            receiver.members[str(key.value)] = value
    elif value is not None:
        state.children[f"?{len(state.children)}"] = value
    if value is not None and isinstance(receiver, ModuleV) and receiver.kind in CONTAINERS:
        receiver.items.append(value)
    return NONE


def register(m: Machine, receiver: Value, state: ModuleState, name: str, value: Value, node: nodes.Node) -> None:
    """What an attribute's value makes of it: a parameter, a submodule, or nothing."""
    if isinstance(value, Tensor) and value.leaf is not None and value.leaf.is_parameter and value.node is None:
        state.parameters[name] = value
        if not value.leaf.name or value.leaf.name in ("weight", "bias"):
            value.leaf.name = name
        value.name = value.storage.name = value.leaf.name
    elif protocol.module_state(value) is not None:
        state.children[name] = value
        for key, tensor in (protocol.module_state(value) or state).parameters.items():
            if tensor.leaf is not None and tensor.leaf.name == key:
                tensor.leaf.name = tensor.name = tensor.storage.name = f"{name}.{key}"
        if isinstance(value, ModuleV) and not value.name:
            value.name = name
    elif isinstance(value, Tensor):
        value.storage.name = value.storage.name or name
        state.parameters.pop(name, None)


def _container_method(m: Machine, receiver: ModuleV, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    match name:
        case "append" | "insert" | "add_module":
            receiver.items.append(args.positional[-1] if args.positional else NONE)
            if m.turn is not None and not m.turn.loop.bounded:
                receiver.exact = False
            return receiver
        case "extend":
            from lintgrad.machine import loops

            items, bounded = loops.elements(m, args.positional[0] if args.positional else NONE, node)
            receiver.items += items
            receiver.exact = receiver.exact and bounded
            return receiver
        case "items" | "values" | "keys":
            return Range(name, (DictV(dict(receiver.state.children), receiver.exact),))
        case _:
            return None


def item(m: Machine, receiver: ModuleV, index: Value, node: nodes.Node) -> Value | None:
    """`container[index]`."""
    if receiver.kind not in CONTAINERS:
        return None
    if isinstance(index, Lit):
        if isinstance(index.value, str) and index.value in receiver.state.children:
            return receiver.state.children[index.value]
        if isinstance(index.value, int) and -len(receiver.items) <= index.value < len(receiver.items):
            return receiver.items[index.value]
    if isinstance(index, ListV):
        return ModuleV(receiver.kind, ModuleState(), list(receiver.items), exact=False)
    return receiver.items[-1] if receiver.items else None


def invoke_instance(m: Machine, receiver: Instance, args: Arguments, node: nodes.Expr) -> Value | None:
    """Call an instance whose forward is a library's: a subclass of Sequential, or of something not seen."""
    if receiver.module is None:
        return None
    bases = [getattr(base, "name", "") for base in receiver.cls.order]
    if "torch.nn.Sequential" in bases:
        return chain(m, list(receiver.module.children.values()), args, node)
    record(m, receiver, receiver.cls.definition.name, node)
    leaves = [leaf for leaf in m.leaves_of(receiver) if leaf.requires_grad]
    result = m.unknown(node, "output", *args.all(), foreign=not leaves)
    m.output(node, result, (*result.sources, *leaves), receiver.cls.definition.name)
    return result


def init_base(m: Machine, receiver: Instance, args: Arguments, node: nodes.Expr) -> None:
    """`super().__init__(...)` of a library's class that holds layers."""
    if receiver.module is None:
        return
    bases = [getattr(base, "name", "") for base in receiver.cls.order]
    if "torch.nn.Sequential" in bases:
        for position, layer in enumerate(args.positional):
            receiver.module.children[str(position)] = layer
        return
    known = next((b for b in bases if b.startswith("torch.nn.") and b != "torch.nn.Module"), None)
    if known is not None:
        made = construct(m, known.rsplit(".", 1)[-1], args, node)
        if isinstance(made, ModuleV):
            receiver.module.parameters.update(made.state.parameters)
            receiver.members.update(made.state.parameters)


def copy(m: Machine, value: Value, memo: dict[int, Value]) -> Value:
    """`copy.deepcopy` of a module, a parameter, or a container of them: new leaves, same shape."""
    if id(value) in memo:
        return memo[id(value)]
    match value:
        case ModuleV():
            made = ModuleV(value.kind, ModuleState(training=value.state.training), name=value.name, exact=value.exact)
            memo[id(value)] = made
            made.options = value.options
            _copy_state(m, value.state, made.state, memo)
            made.items = [copy(m, one, memo) for one in value.items]
            made.members = {k: copy(m, v, memo) for k, v in value.members.items()}
            return made
        case Instance():
            twin = Instance(value.cls, foreign=value.foreign, born=m.tick())
            memo[id(value)] = twin
            if value.module is not None:
                twin.module = ModuleState(training=value.module.training)
                _copy_state(m, value.module, twin.module, memo)
            twin.members = {k: copy(m, v, memo) for k, v in value.members.items()}
            return twin
        case Tensor():
            return _copy_tensor(m, value, memo)
        case ListV():
            return ListV(value.kind, [copy(m, one, memo) for one in value.items], value.exact, m.tick())
        case _:
            return value


def _copy_tensor(m: Machine, value: Tensor, memo: dict[int, Value]) -> Tensor:
    made = Tensor(m.storage(value.storage.name), numel=value.numel, name=value.name, site=value.site)
    made.integer = value.integer
    if value.leaf is not None and value.node is None:
        made.leaf = Leaf(value.leaf.name, value.leaf.site, made.storage, value.leaf.requires_grad)
        made.leaf.opaque, made.leaf.is_parameter = value.leaf.opaque, value.leaf.is_parameter
        made.leaf.tensor = made
    memo[id(value)] = made
    return made


def _copy_state(m: Machine, old: ModuleState, new: ModuleState, memo: dict[int, Value]) -> None:
    new.opaque, new.confidence = old.opaque, old.confidence
    for name, tensor in old.parameters.items():
        twin = copy(m, tensor, memo)
        if isinstance(twin, Tensor):
            new.parameters[name] = twin
    new.children = {name: copy(m, child, memo) for name, child in old.children.items()}
    if old.opaque_leaf is not None and old.opaque_leaf.tensor is not None:
        new.opaque_leaf = _copy_tensor(m, old.opaque_leaf.tensor, memo).leaf

