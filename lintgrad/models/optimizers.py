"""torch.optim: optimizers, their parameters, their steps; schedulers and scalers as far as they matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine import calls
from lintgrad.machine.graph import Leaf
from lintgrad.machine.occasions import Construction, NonleafParameter
from lintgrad.machine.values import (
    NONE,
    Arguments,
    BoundV,
    DictV,
    FunctionV,
    Instance,
    ListV,
    Lit,
    OptimizerV,
    Range,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import closures
from lintgrad.models.optim_names import CLOSURE_OPTIMIZERS

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


def opaque(m: Machine, node: nodes.Node, name: str, confidence: Confidence = Confidence.LIKELY) -> OptimizerV:
    """An optimizer whose parameters are not seen."""
    leaf = Leaf(f"parameters of {name}", m.site(node), m.storage(name), opaque=True)
    m.wild.append(leaf)
    m.trace.wild = True
    return OptimizerV("", [leaf], complete=False, opaque=True, name=name, confidence=confidence)


def construct(m: Machine, kind: str, args: Arguments, node: nodes.Expr) -> OptimizerV:
    """`optim.Adam(params, ...)`."""
    given = args.get(0, "params")
    leaves = m.leaves_of(expanded(m, given, node))
    made = OptimizerV(kind, leaves, complete=_complete(given), site=m.site(node), born=m.tick())
    m.trace.wild = m.trace.wild or not _told(given)
    for leaf in leaves:
        leaf.owner = leaf.owner or made
    if not leaves or not made.complete:
        unseen = Leaf("other parameters", m.site(node), m.storage(), opaque=True)
        made.leaves = [*leaves, unseen]
        m.wild.append(unseen)
        m.trace.wild = True
        made.complete = False
    if kind in CLOSURE_OPTIMIZERS:
        closures.keep_limits(made, args)
    _note(m, made, given, args, node)
    made.groups = ListV("list", [DictV({"params": _tensors(m, leaves)}, exact=False)], False, m.tick())
    return made


def _note(m: Machine, made: OptimizerV, given: Value | None, args: Arguments, node: nodes.Expr) -> None:
    """Note the construction, and what it was given that is no leaf."""
    momentum = args.get(2, "momentum") if made.kind == "SGD" else Lit(1)
    stateful = momentum is not None and not (isinstance(momentum, Lit) and not momentum.value)
    m.record(
        Construction(
            **m.here(node),
            optimizer=made,
            leaves=list(made.leaves),
            stateful=stateful,
        )
    )
    for one in _given_tensors(given):
        if one.node is not None and one.node.grounded:
            m.record(NonleafParameter(**m.here(node), name=one.name, tensor=one))


def _given_tensors(given: Value | None) -> list[Tensor]:
    if isinstance(given, ListV):
        return [t for item in given.items for t in _given_tensors(item)]
    if isinstance(given, DictV):
        return _given_tensors(given.items.get("params"))
    return [given] if isinstance(given, Tensor) else []


def _tensors(m: Machine, leaves: list[Leaf]) -> ListV:
    return ListV("list", [leaf.tensor for leaf in leaves if leaf.tensor is not None], True, m.tick())


def expanded(m: Machine, value: Value | None, node: nodes.Node) -> Value | None:
    """Lazily walked parameters as a list; groups' own parameters with them."""
    if isinstance(value, Range):
        from lintgrad.machine import loops

        return ListV("list", loops.elements(m, value, node)[0], True, m.tick())
    if isinstance(value, ListV):
        m.spend()
        return ListV("list", [expanded(m, one, node) or one for one in value.items], value.exact, m.tick())
    if isinstance(value, DictV) and "params" in value.items:
        return expanded(m, value.items["params"], node)
    return value


def _complete(value: Value | None) -> bool:
    """Whether all parameters that are given are seen one by one."""
    match value:
        case ListV():
            return (value.exact or _all_tensors(value)) and all(_complete(one) for one in value.items)
        case Range():
            return all(_complete(part) for part in value.parts if not isinstance(part, (FunctionV, BoundV)))
        case DictV():
            params = value.items.get("params")
            return params is not None and _complete(params)
        case Tensor():
            return True
        case _:
            return False


def _told(value: Value | None) -> bool:
    """Whether no parameter but these can be among what is given."""
    match value:
        case ListV():
            return value.whole or (value.exact and all(_told(one) for one in value.items))
        case Range():
            return all(_told(part) for part in value.parts if not isinstance(part, (FunctionV, BoundV)))
        case DictV():
            return _told(value.items.get("params"))
        case _:
            return isinstance(value, Tensor)


def _all_tensors(value: ListV) -> bool:
    return bool(value.items) and all(isinstance(one, Tensor) for one in value.items)


def method(m: Machine, receiver: OptimizerV, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """Call an optimizer's method."""
    match name:
        case "zero_grad":
            cleared = m.clear(node, receiver.leaves, zeros=_is_false(args.get(0, "set_to_none")))
            cleared.optimizer = receiver
            return NONE
        case "step":
            return step(m, receiver, args, node)
        case "add_param_group":
            group = args.get(0, "param_group")
            new = m.leaves_of(expanded(m, group, node))
            receiver.leaves += [leaf for leaf in new if leaf not in receiver.leaves]
            for leaf in new:
                leaf.owner = leaf.owner or receiver
            if not new:
                receiver.touched = m.seq
                m.trace.wild = True
            return NONE
        case "state_dict" | "load_state_dict" | "train" | "eval":
            return m.unknown(node, "state")
        case _:
            return None


def _is_false(value: Value | None) -> bool:
    return isinstance(value, Lit) and value.value is False


def step(m: Machine, receiver: OptimizerV, args: Arguments, node: nodes.Expr) -> Value:
    """`step(closure)`: the closure runs first, with gradients on."""
    closure = args.get(0, "closure")
    result: Value = NONE
    grad, m.grad = m.grad, True
    started = [m.tick()]
    if isinstance(closure, (FunctionV, BoundV, Instance)):
        # LBFGS evaluates its closure several times in one step.
        for _ in range(2 if receiver.kind in CLOSURE_OPTIMIZERS or receiver.opaque else 1):
            started.append(m.tick())
            result = calls.call_value(m, closure, Arguments(), node)
    elif closure is not None and not closures.is_none(closure):
        receiver.touched = m.seq
    m.grad = grad
    if receiver.kind in CLOSURE_OPTIMIZERS:
        closures.note(m, receiver, args, started, result, node)
    m.step(node, receiver)
    return result


def attribute(m: Machine, receiver: OptimizerV, name: str, node: nodes.Node) -> Value | None:
    """Read an optimizer's attribute."""
    if name == "param_groups":
        if receiver.groups is None:
            receiver.groups = ListV(
                "list", [DictV({"params": _tensors(m, receiver.leaves)}, exact=False)], False
            )
        return receiver.groups
    if name in ("state", "defaults"):
        return receiver.members.setdefault(name, Unknown(name, m.site(node), place=name))
    if name == "optimizer":
        return receiver
    return receiver.members.get(name)
