"""torch.distributed: replicas under DistributedDataParallel, collectives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import calls, protocol, replicas
from lintgrad.machine.engines import EngineV
from lintgrad.machine.replicas import Collective, Replicated
from lintgrad.machine.values import Arguments, ContextV, ModuleV, Unknown, Value
from lintgrad.models import modules
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

COLLECTIVES = frozenset(
    """
    all_reduce all_gather all_gather_object all_gather_into_tensor reduce reduce_scatter reduce_scatter_tensor
    broadcast broadcast_object_list barrier monitored_barrier gather gather_object scatter scatter_object_list
    all_to_all all_to_all_single
    """.split()
)


def replicate(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`DistributedDataParallel(module)`: another object around the module, which it shares."""
    given = args.get(0, "module")
    if isinstance(given, Unknown) and given.acts_as is None:
        given.acts_as = modules.opaque(m, node, given.place or "model")
    if given is None or protocol.module_state(given) is None or isinstance(given, EngineV):
        return given if given is not None else m.unknown(node, "call", foreign=True)
    wrapper = EngineV("ddp", site=m.site(node), wraps=given)
    event = Replicated(**m.here(node), wrapper=wrapper)
    m.record(event)
    for leaf in m.leaves_of(given):
        leaf.replica = event
    _mark(given, event, 0)
    return wrapper


def _mark(module: Value, event: Replicated, depth: int) -> None:
    state = protocol.module_state(module)
    if state is None or depth > 6 or state.replica is event:
        return
    state.replica = event
    for child in [*state.children.values(), *(module.items if isinstance(module, ModuleV) else [])]:
        _mark(child, event, depth + 1)


def method(m: Machine, wrapper: EngineV, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """A method of the wrapper: its own, or what every module has."""
    if name in ("no_sync", "join"):
        return ContextV("plain")
    if name == "module" and wrapper.wraps is not None:
        return calls.call_value(m, wrapper.wraps, args, node)
    if name in ("forward", "__call__"):
        return invoke(m, wrapper, args, node)
    found = calls.call_member(m, wrapper.wraps, name, args, node) if wrapper.wraps is not None else None
    return wrapper if found is wrapper.wraps else found


def invoke(m: Machine, wrapper: EngineV, args: Arguments, node: nodes.Expr) -> Value | None:
    """Run the module through its wrapper: backward will then average the gradients."""
    state = protocol.module_state(wrapper.wraps)
    if wrapper.wraps is None or state is None:
        return None
    if isinstance(state.replica, Replicated):
        replicas.note_forward(m, state.replica, node, bare=False)
    m.wrapped += 1
    try:
        return calls.call_value(m, wrapper.wraps, args, node)
    finally:
        m.wrapped -= 1


def note_collective(m: Machine, name: str, args: Arguments, node: nodes.Expr) -> None:
    """All processes take part in `torch.distributed.name(...)`, but for those of a group."""
    if "group" not in args.keywords:
        m.record(Collective(**m.here(node), op=name))


def get_rank(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`torch.distributed.get_rank()`."""
    return m.unknown(node, "number") if args.all() else replicas.rank(m, node)
