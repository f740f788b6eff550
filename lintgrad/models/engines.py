"""Accelerate, Fabric and DeepSpeed: objects that run parts of the protocol for what was handed to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import calls, members, protocol
from lintgrad.machine.engines import EngineV
from lintgrad.machine.graph import Managed
from lintgrad.machine.replicas import LoaderV
from lintgrad.machine.values import (
    NONE,
    Arguments,
    ContextV,
    ListV,
    OptimizerV,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import distributed, modules, optimizers, tensors
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

CONSTRUCTORS = {
    "accelerate.Accelerator": "accelerate",
    "accelerate.accelerator.Accelerator": "accelerate",
    "lightning.Fabric": "fabric",
    "lightning.fabric.Fabric": "fabric",
    "lightning_fabric.Fabric": "fabric",
    "lightning.pytorch.Trainer": "lightning",
    "lightning.Trainer": "lightning",
    "pytorch_lightning.Trainer": "lightning",
    "ignite.engine.Engine": "ignite",
    "ignite.engine.engine.Engine": "ignite",
}
"""By qualified name, the kind of engine that a class makes."""

_PREPARES = frozenset("prepare prepare_model setup setup_module".split())
_HANDS_BACK = frozenset(
    """
    prepare_optimizer prepare_data_loader prepare_scheduler setup_optimizers setup_dataloaders unwrap_model
    unwrap to_device skip_first_batches
    """.split()
)
_CONTEXTS = frozenset(
    """
    accumulate no_sync no_backward_sync autocast join_uneven_inputs main_process_first profile
    local_main_process_first rank_zero_first init_module init_tensor sharded_model trigger_sync_in_backward
    """.split()
)
_CLIPS = frozenset("clip_grad_norm_ clip_grad_value_ clip_gradients".split())


def construct(m: Machine, kind: str, args: Arguments, node: nodes.Expr) -> EngineV:
    """`Accelerator(...)`, `Fabric(...)`, `Trainer(...)`, `Engine(step)`."""
    return EngineV(kind, site=m.site(node), options=dict(args.keywords), callbacks=list(args.positional[:1]))


def method(m: Machine, receiver: EngineV, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """A method of an engine."""
    receiver.name = receiver.name or protocol.written(node)
    if receiver.kind == "ddp":
        return distributed.method(m, receiver, name, args, node)
    if receiver.wraps is not None:
        return _of_wrapper(m, receiver, receiver.wraps, name, args, node)
    if name == "backward" and args.positional:
        return backward(m, args, node)
    if name in _PREPARES:
        for value in args.all():
            manage(m, receiver, value, node)
        _take_optimizers(receiver, args)
        return handed_back(m, args, node)
    if name in _HANDS_BACK:
        _take_optimizers(receiver, args)
        return handed_back(m, args, node)
    if name in _CONTEXTS:
        return ContextV("plain")
    if name in _CLIPS:
        return _clip(m, name, args, node)
    return m.unknown(node, "plain")


def backward(m: Machine, args: Arguments, node: nodes.Expr) -> Value | None:
    """`engine.backward(loss)`; None where what it is given is no tensor."""
    loss = m.as_tensor(args.first, node)
    if loss is None:
        return None
    if loss.tape is None and isinstance(args.first, Unknown):
        tensors.believe(m, loss, node)
    name = protocol.handed(node) or loss.name
    return tensors.run_backward(m, [loss], Arguments([], args.keywords), node, name=name, framework=True)


def manage(m: Machine, engine: EngineV, value: Value, node: nodes.Node) -> None:
    """From here on the parameters of `value`, a module, are trained through `engine`."""
    if protocol.module_state(value) is not None:
        managed = Managed(engine, m.site(node), m.tick())
        for leaf in m.leaves_of(value):
            leaf.managed = leaf.managed or managed


def _take_optimizers(engine: EngineV, args: Arguments) -> None:
    """The optimizers among what was handed in step through `engine` from here on."""
    for value in args.all():
        for one in value.items if isinstance(value, ListV) else [value]:
            inner = one.acts_as if isinstance(one, Unknown) else one
            if isinstance(inner, OptimizerV):
                inner.engine = engine


def handed_back(m: Machine, args: Arguments, node: nodes.Node) -> Value:
    """What was handed in, in its order; loaders are then told the epoch by the framework."""
    for value in args.all():
        if isinstance(value, LoaderV):
            m.touch(value)
    if args.extra or not args.positional:
        return m.unknown(node, "call", *args.all(), foreign=True)
    return args.first if len(args.positional) == 1 else ListV("tuple", list(args.positional), True, m.tick())


def _clip(m: Machine, name: str, args: Arguments, node: nodes.Expr) -> Value:
    # Fabric is given the module and its optimizer, Accelerate parameters as torch is.
    from lintgrad.models import functions

    given = Arguments([_parameters(m, args.first)]) if name == "clip_gradients" else args
    return functions.clip(m, given, node)


# --- DeepSpeed ----------------------------------------------------------------------------------

_DEEPSPEED = "model optimizer model_parameters training_data lr_scheduler mpu dist_init_required".split()


def initialize(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`deepspeed.initialize(model=..., ...)`: engine, optimizer, loader, scheduler."""
    given = dict(zip(("args", *_DEEPSPEED), args.positional, strict=False)) | args.keywords
    model = given.get("model")
    if protocol.module_state(model) is None:
        model = modules.opaque(m, node, "model")
    optimizer = given.get("optimizer")
    if isinstance(optimizer, Unknown):
        optimizer = optimizer.acts_as
    if not isinstance(optimizer, OptimizerV):
        optimizer = optimizers.construct(m, "Adam", Arguments([_parameters(m, model)]), node)
    engine = EngineV("deepspeed", wraps=model, optimizer=optimizer, options=given)
    optimizer.engine = engine
    manage(m, engine, engine, node)
    loader = Unknown("loader", m.site(node), place="loader")
    scheduler = given.get("lr_scheduler") or m.unknown(node, "plain")
    return ListV("tuple", [engine, optimizer, loader, scheduler], True, m.tick())


def _parameters(m: Machine, model: Value | None) -> Value:
    found: list[Value] = [leaf.tensor for leaf in m.leaves_of(model) if leaf.tensor is not None]
    return ListV("list", found, True, m.tick())


def _of_wrapper(
    m: Machine, engine: EngineV, wraps: Value, name: str, args: Arguments, node: nodes.Expr
) -> Value | None:
    """A method of a DeepSpeed engine: its own, or one of the module that it wraps."""
    match name:
        case "backward":
            return backward(m, args, node)
        case "step" if engine.optimizer is not None:
            # It steps, clears, and moves the schedule on; between accumulated batches it does nothing.
            m.step(node, engine.optimizer).framework = True
            m.clear(node, engine.optimizer.leaves)
            return NONE
        case "zero_grad" if engine.optimizer is not None:
            m.clear(node, engine.optimizer.leaves)
            return NONE
        case "scale" if isinstance(args.first, Tensor):
            return args.first
        case "no_sync":
            return ContextV("plain")
        case "train" | "eval" | "to" | "half" | "cuda":
            calls.call_member(m, wraps, name, args, node)
            return engine
        case _ if name in _OWN_METHODS:
            return m.unknown(node, "plain")
        case _:
            return calls.call_member(m, wraps, name, args, node)


_OWN_METHODS = frozenset(
    """
    save_checkpoint load_checkpoint save_16bit_model is_gradient_accumulation_boundary get_lr
    set_gradient_accumulation_boundary get_global_grad_norm gradient_accumulation_steps train_batch_size
    train_micro_batch_size_per_gpu deepspeed_io set_train_batch_size destroy empty_partition_cache
    """.split()
)


def invoke(m: Machine, engine: EngineV, args: Arguments, node: nodes.Expr) -> Value | None:
    """Call an engine: the forward of what it wraps."""
    if engine.kind == "ddp":
        return distributed.invoke(m, engine, args, node)
    return calls.call_value(m, engine.wraps, args, node) if engine.wraps is not None else None


def attribute(m: Machine, engine: EngineV, name: str, node: nodes.Node) -> Value | None:
    """An attribute of an engine: a setting, the same each time but for what tells of accumulation."""
    if name in ("module", "optimizer"):
        return engine.wraps if name == "module" else engine.optimizer
    if name == "sync_gradients":
        return m.unknown(node, "periodic")
    if engine.wraps is not None and name not in _SETTINGS:
        return members.read(m, engine.wraps, name, node)
    if name in _PREPARES | _HANDS_BACK | _CONTEXTS | _CLIPS | {"backward", "fit", "run", "on"}:
        return None
    return engine.members.setdefault(name, m.unknown(node, "option", place=name))


_SETTINGS = frozenset(
    "device local_rank global_rank world_size global_steps micro_steps backward step".split()
)
