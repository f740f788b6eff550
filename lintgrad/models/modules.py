"""nn.Module: layers and containers, their forward, and the methods that all modules have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine import calls, protocol, replicas
from lintgrad.machine.graph import Leaf, Node, Saved
from lintgrad.machine.observations import Forward
from lintgrad.machine.values import (
    Arguments,
    DictV,
    Instance,
    ListV,
    Lit,
    ModuleState,
    ModuleV,
    Numel,
    Tensor,
    Value,
)
from lintgrad.models import contents, dropouts, layers, ops, plans, shapes, tensors

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

CONTAINERS = ("Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict")


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
    mark_loose(m, list(state.parameters.values()))
    made = ModuleV(kind, state, options=options, site=m.site(node))
    if "Dropout" in kind and dropouts.in_forward(m):
        dropouts.note(m, made, node)
    return made


def mark_loose(m: Machine, made: list[Tensor]) -> None:
    """Parameters that a module's own code makes are its own once it has registered them."""
    if protocol.module_state(m.frame.receiver) is not None:
        for tensor in made:
            if tensor.leaf is not None:
                tensor.leaf.loose = True
                tensor.leaf.in_forward = dropouts.in_forward(m)


def _container(m: Machine, kind: str, args: Arguments, node: nodes.Expr) -> ModuleV:
    made = ModuleV(kind, ModuleState())
    fill(m, made, args, node)
    return made


def fill(m: Machine, made: ModuleV, args: Arguments, node: nodes.Node) -> None:
    """Put the constructor's arguments into a container."""
    given = args.positional
    made.born = m.tick()
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
    mark_loose(m, [made])
    return made


# --- forward ------------------------------------------------------------------------------------


def forward(m: Machine, module: ModuleV, args: Arguments, node: nodes.Expr) -> Value | None:
    """Call a library's module."""
    if module.state.replica is not None:
        replicas.note_bare(m, module.state, node)
    if module.state.opaque:
        return _opaque_forward(m, module, args, node)
    alone = _only_tensor(args)
    if alone is not None:
        known = plans.plan(module.kind)
        if known is not None and not module.state.parameters:
            return plans.run(m, module, known, alone, node)
    if module.kind == "Sequential":
        if not dropouts.in_forward(m):
            record(m, module, module.name, node)
        return chain(m, module.items, args, node)
    if module.kind in CONTAINERS:
        return None
    if module.kind == "Identity" and args.positional:
        return args.positional[0]
    info = layers.layer_info(module.kind)
    if info is None:
        return _opaque_forward(m, module, args, node)
    if info.kind == "loss":
        return _loss(m, module, info, args, node)
    given = ops.operands(m, [*args.positional, *args.keywords.values()], node)
    if info.kind in ("activation", "dropout", "other", "layer", "norm") and not module.state.parameters:
        return _stateless(m, module, info, args, node)
    return _layer(m, module, info, given, node)


def _only_tensor(args: Arguments) -> Tensor | None:
    """The tensor that is all that a layer is given."""
    if len(args.positional) == 1 and not args.keywords and not args.extra:
        only = args.positional[0]
        return only if isinstance(only, Tensor) else None
    return None


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
        m.spend()
        known = plans.plan(item.kind) if isinstance(item, ModuleV) and isinstance(value, Tensor) else None
        if known is not None and _is_plain(item.state):  # type: ignore[attr-defined]  # a module
            value = plans.run(m, item, known, value, node)  # type: ignore[arg-type]
        else:
            value = calls.call_value(m, item, Arguments([value]), node)
    return value


def _is_plain(state: ModuleState) -> bool:
    """Whether nothing but the layer's own function runs when it is called."""
    return not (state.parameters or state.hooks or state.opaque or state.replica is not None)


def _opaque_forward(m: Machine, module: ModuleV, args: Arguments, node: nodes.Expr) -> Value:
    record(m, module, module.name, node)
    leaves = [leaf for leaf in m.leaves_of(module) if leaf.requires_grad]
    result = m.unknown(node, "output", *args.all(), foreign=not leaves)
    result.place = module.name
    m.output(node, result, (*result.sources, *leaves), module.name or "module")
    if not args.all() and result.sources and isinstance(result.sources[0], Node):
        # What a module gives without being given anything may be its parameters themselves.
        result.sources[0].confidence = Confidence.POSSIBLE
    return result


def record(m: Machine, module: Value, name: str, node: nodes.Node) -> None:
    """Note a forward."""
    state = protocol.module_state(module)
    m.record(
        Forward(
            **m.here(node),
            name=name,
            module=module,
            grad=m.grad,
            training=state.training if state is not None else None,
            turned=state.turned if state is not None else None,
            inner=dropouts.in_forward(m),
        )
    )


def _stateless(
    m: Machine, module: ModuleV, info: layers.LayerInfo, args: Arguments, node: nodes.Expr
) -> Value:
    """An activation, pooling or dropout layer is its function."""
    keywords: dict[str, Value] = {}
    if tensors.flag(module.options.get("inplace"), False):
        keywords["inplace"] = Lit(True)
    training = module.state.training is not False
    size = module.options.get("output_size")
    pools_to_one = module.kind.startswith("AdaptiveAvgPool") and isinstance(size, Lit) and size.value == 1
    variant = "one" if pools_to_one else info.variant
    result = ops.apply(m, info.op, list(args.positional), keywords, node, training=training, variant=variant)
    if isinstance(result, Tensor):
        result.content = contents.of_layer(result.content, info.op, module.site)
    return result


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
    if module.site is not None:
        result.content = contents.of_scores(module.kind, module.site)
    if info.kind == "norm" and inputs:
        result.numel, result.shape = inputs[0].numel, inputs[0].shape
    width = module.options.get(info.width) if info.width else None
    if (
        module.kind == "Linear"
        and inputs
        and inputs[0].shape
        and isinstance(width, Lit)
        and isinstance(width.value, int)
    ):
        result.shape = (*inputs[0].shape[:-1], width.value)
        result.numel = shapes.numel(result.shape)
    if tapes and m.grad:
        saved, keeps = _layer_saved(module, inputs, result)
        result.node = m.node(module.kind, node, tuple(tapes), saved, keeps)
    result.ungraphed = m.ungraphed(node, tapes, inputs)
    return result if info.returns == "tensor" else _several(m, module, result, node)


def _layer_saved(
    module: ModuleV, inputs: list[Tensor], result: Tensor
) -> tuple[tuple[Saved, ...], bool | None]:
    """What a layer's node watches, and whether it keeps anything."""
    kept = layers.layer_saved(
        module.kind,
        bool(inputs) and inputs[0].tape is not None,
        _in_graph(module.state.parameters.values()),
        module.state.training is not False,
        hidden_needs_grad=len(inputs) > 1 and _in_graph(inputs[1:]),
    )
    watched = [Saved(t.storage, t.storage.version) for t in inputs] if kept.input else []
    for name, weight in module.state.parameters.items():
        if name in kept.params or layers.EVERY in kept.params:
            watched.append(Saved(weight.storage, weight.storage.version))
    if kept.result:
        watched.append(Saved(result.storage, result.storage.version))
    return tuple(watched), kept.anything


def _in_graph(given: Iterable[Tensor]) -> bool:
    for tensor in given:  # noqa: SIM110 - a generator for `any` takes twice as long
        if tensor.tape is not None:
            return True
    return False


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


def invoke_instance(m: Machine, receiver: Instance, args: Arguments, node: nodes.Expr) -> Value | None:
    """Call an instance whose forward is a library's: a subclass of Sequential, or of something not seen."""
    if receiver.module is None:
        return None
    if receiver.module.replica is not None:
        replicas.note_bare(m, receiver.module, node)
    bases = [getattr(base, "name", "") for base in receiver.cls.order]
    if "torch.nn.Sequential" in bases:
        return chain(m, list(receiver.module.children.values()), args, node)
    record(m, receiver, receiver.cls.definition.name, node)
    leaves = [leaf for leaf in m.leaves_of(receiver) if leaf.requires_grad]
    result = m.unknown(node, "output", *args.all(), foreign=not leaves)
    m.output(node, result, (*result.sources, *leaves), receiver.cls.definition.name)
    return result


def entered(m: Machine, receiver: Instance, args: Arguments, node: nodes.Expr) -> None:
    """A module is called whose forward is the program's own: note it, and that it uses what it is given."""
    if receiver.module is None:
        return
    if receiver.module.replica is not None:
        replicas.note_bare(m, receiver.module, node)
    record(m, receiver, receiver.cls.definition.name, node)
    for source in m.sources(*args.all()) if m.grad else ():
        if isinstance(source, Node):
            source.used = True


def init_base(m: Machine, receiver: Instance, args: Arguments, node: nodes.Expr) -> None:
    """`super().__init__(...)` of a library's class that holds layers."""
    if receiver.module is None:
        return
    receiver.module.bare = False
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
