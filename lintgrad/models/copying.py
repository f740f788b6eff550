"""`copy.deepcopy` of modules and tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.graph import Leaf
from lintgrad.machine.values import (
    DictV,
    Instance,
    ListV,
    ModuleState,
    ModuleV,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


def copy(m: Machine, value: Value, memo: dict[int, Value]) -> Value:
    """`copy.deepcopy` of a module, a parameter, or a container of them: new leaves, same shape."""
    if id(value) in memo:
        return memo[id(value)]
    match value:
        case ModuleV():
            made = ModuleV(
                value.kind, ModuleState(training=value.state.training), name=value.name, exact=value.exact
            )
            memo[id(value)] = made
            made.options = value.options
            _copy_state(m, value.state, made.state, memo)
            made.items = [copy(m, one, memo) for one in value.items]
            made.members = {k: copy(m, v, memo) for k, v in value.members.items()}
            return made
        case Instance():
            twin = Instance(value.cls, born=m.tick())
            memo[id(value)] = twin
            if value.module is not None:
                twin.module = ModuleState(training=value.module.training)
                _copy_state(m, value.module, twin.module, memo)
            twin.members = {k: copy(m, v, memo) for k, v in value.members.items()}
            return twin
        case Tensor():
            return _copy_tensor(m, value, memo)
        case ListV():
            listed = ListV(value.kind, [], value.exact, m.tick())
            memo[id(value)] = listed
            listed.items = [copy(m, one, memo) for one in value.items]
            return listed
        case DictV():
            table = DictV({}, value.exact, factory=value.factory, born=m.tick())
            memo[id(value)] = table
            table.items = {key: copy(m, one, memo) for key, one in value.items.items()}
            table.rest = [copy(m, one, memo) for one in value.rest]
            return table
        case Unknown(reason="state"):
            return Unknown("copied state", value.site)
        case _:
            return value


def _copy_tensor(m: Machine, value: Tensor, memo: dict[int, Value]) -> Tensor:
    made = Tensor(m.storage(value.storage.name), numel=value.numel, name=value.name, site=value.site)
    made.integer = value.integer
    if value.leaf is not None and value.node is None:
        made.leaf = Leaf(value.leaf.name, value.leaf.site, made.storage, value.leaf.requires_grad)
        made.leaf.opaque, made.leaf.is_parameter = value.leaf.opaque, value.leaf.is_parameter
        made.leaf.born, made.storage.filled, made.leaf.tensor = m.tick(), True, made
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
