"""Objects that own a whole training loop: Lightning's Trainer, Ignite's Engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import calls, loops
from lintgrad.machine.engines import EngineV
from lintgrad.machine.stops import Signal
from lintgrad.machine.values import NONE, Arguments, BoundV, FunctionV, Instance, Unknown, Value
from lintgrad.models import engines, lightning, lightning_loop
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def method(m: Machine, receiver: EngineV, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """A method of an engine: the loops of trainers, or what engines without a loop do."""
    if receiver.kind == "lightning":
        return _of_trainer(m, receiver, name, args, node)
    if receiver.kind == "ignite":
        return _of_ignite(m, receiver, name, args, node)
    return engines.method(m, receiver, name, args, node)


def _of_trainer(m: Machine, receiver: EngineV, name: str, args: Arguments, node: nodes.Expr) -> Value:
    module = args.get(0, "model")
    if name == "fit" and isinstance(module, Instance) and lightning.is_managed(module):
        lightning_loop.drive(m, module, receiver, node)
    elif name == "fit":
        m.touched_all = m.seq
    return NONE if name == "fit" else m.unknown(node, "plain")


_ATTACH = "on()"
"""The method that a decorator stands for, of a name that no attribute can have."""


def _of_ignite(m: Machine, receiver: EngineV, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    match name:
        case "run" if receiver.callbacks:
            return _run(m, receiver, args, node)
        case "add_event_handler" if len(args.positional) > 1:
            receiver.callbacks.append(args.positional[1])
            return NONE
        case "on":
            return BoundV(receiver, _ATTACH)
        case _ if name == _ATTACH:
            receiver.callbacks.append(args.first)
            return args.first
        case _:
            return m.unknown(node, "plain")


def _run(m: Machine, receiver: EngineV, args: Arguments, node: nodes.Expr) -> Value:
    """`engine.run(data)`: the process function on each batch, then what was attached."""
    data = args.get(0, "data") or Unknown("loader", m.site(node), place="loader")
    process, *handlers = receiver.callbacks
    given: list[Value] = [receiver]

    def turn(batch: Value) -> Signal:
        calls.call_value(m, process, Arguments([receiver, batch]), node)
        return None

    loops.walk(m, data, node, turn)
    for handler in handlers:
        if isinstance(handler, FunctionV):
            wanted = len(handler.definition.parameters)
            calls.call_value(m, handler, Arguments(given[:wanted]), node)
    return m.unknown(node, "plain")
