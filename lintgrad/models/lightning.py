"""Lightning: its loop around a module's own methods, under automatic and under manual optimization."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintgrad.diagnostics import Site
from lintgrad.machine import calls, members
from lintgrad.machine.values import (
    NONE,
    Arguments,
    DictV,
    FunctionV,
    Instance,
    ListV,
    Lit,
    OptimizerV,
    Unknown,
    Value,
)
from lintgrad.models import optimizers
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

_CONFIGURED = "configure_optimizers()"
SWITCHED = "automatic_optimization ="
"""Keys of an instance's members that no attribute can have."""


@dataclass(slots=True, eq=False)
class Configured(Value):
    """What `configure_optimizers` gave: `known` where all of it is understood, `nothing` where it is None."""

    optimizers: list[OptimizerV] = field(default_factory=list)
    schedulers: list[Value] = field(default_factory=list)
    known: bool = True
    nothing: bool = False
    site: Site | None = None


def is_managed(instance: Instance) -> bool:
    """Whether the instance's class is a LightningModule."""
    return any(base.name.endswith("LightningModule") for base in members.library_bases(instance.cls))


def switched(m: Machine, instance: Instance, node: nodes.Node) -> None:
    """`self.automatic_optimization` was written: remember where."""
    instance.members[SWITCHED] = Unknown("plain", m.site(node))


# --- what a module asks of its trainer -------------------------------------------------------------


def method(m: Machine, receiver: Instance, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """A method that LightningModule has, beyond those of all modules."""
    match name:
        case "optimizers":
            made = configured(m, receiver, node).optimizers
            return made[0] if len(made) == 1 else ListV("list", list(made), True, m.tick())
        case "lr_schedulers":
            found = configured(m, receiver, node).schedulers
            if not found:
                return m.unknown(node, "plain")
            return found[0] if len(found) == 1 else ListV("list", list(found), True, m.tick())
        case "toggle_optimizer" | "untoggle_optimizer":
            _toggle(m, receiver, args, node, on=name == "toggle_optimizer")
            return NONE
        case (
            "log" | "log_dict" | "print" | "save_hyperparameters" | "clip_gradients" | "freeze" | "all_gather"
        ):
            return m.unknown(node, "plain")
        case _:
            return None


def _toggle(m: Machine, receiver: Instance, args: Arguments, node: nodes.Expr, *, on: bool) -> None:
    """Between the two calls the other optimizers' parameters need no gradients."""
    chosen = args.first
    own = {id(leaf) for leaf in chosen.leaves} if isinstance(chosen, OptimizerV) else set[int]()
    for optimizer in configured(m, receiver, node).optimizers:
        for leaf in optimizer.leaves:
            if id(leaf) not in own and not leaf.opaque:
                leaf.requires_grad = not on


def configured(m: Machine, instance: Instance, node: nodes.Node) -> Configured:
    """The optimizers and schedules of `instance`: its `configure_optimizers` is called once."""
    known = instance.members.get(_CONFIGURED)
    if isinstance(known, Configured):
        return known
    made = Configured()
    instance.members[_CONFIGURED] = made
    member = members.class_member(instance.cls, "configure_optimizers")
    if isinstance(member, FunctionV):
        made.site = m.site(member.definition)
        result = calls.call_value(m, members.bind(m, instance, member, node), Arguments(), node)
        made.nothing = isinstance(result, Lit) and result.value is None
        _take(made, result)
    else:
        made.known = False
    if not made.optimizers and not made.nothing:
        made.optimizers = [optimizers.opaque(m, node, "the optimizer")]
        made.known = False
    return made


def _take(made: Configured, value: Value, *, schedules: bool = False) -> None:
    """Sort what `configure_optimizers` returned; what is not understood makes it not `known`."""
    if isinstance(value, Unknown) and value.acts_as is not None:
        value = value.acts_as
    match value:
        case OptimizerV():
            made.optimizers.append(value)
        case ListV(kind="tuple", items=[ListV() as first, ListV() as second]) if not schedules:
            _take(made, first)
            _take(made, second, schedules=True)
        case ListV():
            made.known = made.known and value.exact
            for one in value.items:
                _take(made, one, schedules=schedules)
        case DictV() if not schedules:
            _take(made, value.items.get("optimizer") or NONE)
            if "lr_scheduler" in value.items:
                _take(made, value.items["lr_scheduler"], schedules=True)
        case DictV():
            _take(made, value.items.get("scheduler") or NONE, schedules=True)
        case Lit(value=None):
            pass
        case _ if schedules:
            made.schedulers.append(value)
        case _:
            made.known = False
