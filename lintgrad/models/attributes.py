"""Attributes of modules, unknowns and libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.values import (
    BoundV,
    Instance,
    LibV,
    Mode,
    ModuleV,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import frameworks, loading, module_methods, modules, tensors
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


ENVIRONMENT = "os.environ"


MISSPELT = frozenset(
    """
    require_grad require_grads requires_grads requires_gradient require_gradient requre_grad requires_gard
    required_grad requieres_grad require_gradients
    """.split()
)
"""Spellings of `requires_grad` that set nothing."""


def of_module(m: Machine, receiver: ModuleV, name: str, node: nodes.Node) -> Value | None:
    """An attribute of a library's module."""
    state = receiver.state
    if name in state.parameters:
        return state.parameters[name]
    if name in state.children:
        return state.children[name]
    if name in receiver.members:
        return receiver.members[name]
    if name == "module":
        return receiver
    if name == "training":
        return m.unknown(node, "training") if state.training is None else Mode(state.training)
    if name in receiver.options:
        return receiver.options[name]
    if state.opaque and not modules_method(name):
        member = Unknown("attribute", m.site(node), foreign=True, place=f"{receiver.name}.{name}")
        uses = m.frame.uses_of(f"{receiver.name}.{name}")
        if "()" in uses and not uses - {"()"}:
            return None
        receiver.members[name] = _part(m, receiver, member, uses, node)
        return receiver.members[name]
    return None


_METHODS = frozenset(
    """
    parameters named_parameters modules named_modules children named_children state_dict load_state_dict
    zero_grad forward register_buffer register_parameter add_module buffers named_buffers
    register_forward_hook generate
    """.split()
)


def modules_method(name: str) -> bool:
    """Whether every module has a method of this name."""
    return name in module_methods.SELF_RETURNING or name in _METHODS


def _part(m: Machine, whole: ModuleV, member: Unknown, uses: frozenset[str], node: nodes.Node) -> Value:
    """A part of an opaque module: its parameters are among those of the whole."""
    if uses & {"parameters", "train", "eval", "requires_grad_"}:
        part = modules.opaque(m, node, member.place)
        whole.state.children[member.place] = part
        return part
    return member


def of_instance(m: Machine, receiver: Instance, name: str, node: nodes.Node) -> Value | None:
    """An attribute that nn.Module gives to an instance of the program."""
    state = receiver.module
    assert state is not None
    if name == "training":
        return m.unknown(node, "training") if state.training is None else Mode(state.training)
    if name == "module":
        return receiver
    found = state.parameters.get(name) or state.children.get(name)
    return found or (BoundV(receiver, name) if modules_method(name) else None)


def of_unknown(m: Machine, receiver: Unknown, name: str, node: nodes.Node) -> Value | None:
    """A tensor's attribute of something that may be one, or one of a loader."""
    if receiver.reason == "loader":
        return loading.attribute(receiver, name)
    if frameworks.is_tensor(receiver) and (
        name in ("data", "requires_grad", "T") or isinstance(receiver.acts_as, Tensor)
    ):
        tensor = m.as_tensor(receiver, node)
        return tensors.attribute(m, tensor, name, node) if tensor is not None else None
    return None


_ALIASES = {
    "torch.nn.modules.": "torch.nn.",
    "torch.optim.": "torch.optim.",
    "torch.nn.parameter.": "torch.nn.",
}


def canonical(name: str) -> str:
    """The usual name of something that torch has under several."""
    for prefix, usual in _ALIASES.items():
        if name.startswith(prefix) and name.count(".") > usual.count("."):
            last = name.rpartition(".")[2]
            if last[:1].isupper() and "lr_scheduler" not in name:
                return usual + last
    return name


def of_library(m: Machine, receiver: LibV, name: str) -> Value | None:
    """A name of a library that stands under several modules, or what the world around a run gives."""
    full = f"{receiver.name}.{name}"
    if full == ENVIRONMENT:
        return m.outside.setdefault(full, Unknown("option", place=full))
    usual = canonical(full)
    return LibV(usual) if usual != full else None
