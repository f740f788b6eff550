"""Observations of what a module's mode, or the grad mode, is and is not heard by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintgrad.machine.observations import Event

if TYPE_CHECKING:
    from lintgrad.diagnostics import Site
    from lintgrad.machine.graph import Leaf
    from lintgrad.machine.values import ModuleV, Value


@dataclass(slots=True, eq=False, kw_only=True)
class DeafDropout(Event):
    """A dropout in a module's forward that drops in evaluation too.

    `made` is the layer that was built there, None for a call of the function with `training` left out;
    `owner` the module whose forward it is.
    """

    made: ModuleV | None = None
    owner: Value | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class ModeChange(Event):
    """`module.eval()` or `module.train(mode)`."""

    training: bool | None = True


@dataclass(slots=True, eq=False, kw_only=True)
class StateTaken(Event):
    """`module.state_dict()`, whose tensors are the module's own: its `leaves` as they were then."""

    state: Value | None = None
    leaves: list[Leaf] = field(default_factory=list)


@dataclass(slots=True, eq=False, kw_only=True)
class StateUsed(Event):
    """`state` was loaded into a module, or saved."""

    state: Value | None = None
    how: str = ""


@dataclass(slots=True, eq=False, kw_only=True)
class ModuleKept(Event):
    """A module of `leaves` is kept under `name` as the best one, and no copy; `read` is where it is used."""

    leaves: list[Leaf] = field(default_factory=list)
    read: Site | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class BareModule(Event):
    """A layer or parameter is assigned to `name` of a module on which `nn.Module.__init__` has not run."""

    kind: str


@dataclass(slots=True, eq=False, kw_only=True)
class BareContext(Event):
    """`with name:`, where `name` makes a context when it is called, and was not."""
