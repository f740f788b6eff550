"""Observations beside the protocol's main events: construction, schedules, clips, misuse of leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from lintgrad.machine.observations import Event

if TYPE_CHECKING:
    from lintgrad.diagnostics import Site
    from lintgrad.machine.graph import Gradient, Leaf, Node
    from lintgrad.machine.values import OptimizerV, Tensor


@dataclass(slots=True, eq=False, kw_only=True)
class NonleafGrad(Event):
    """`.grad` read of a tensor that is no leaf; `tensor` is that one."""

    tensor: Tensor | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Rebound(Event):
    """A trained leaf's name was bound to what an update made; `read` is where its `.grad` is read next."""

    read: Site | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class NonleafParameter(Event):
    """An optimizer was given a tensor that is no leaf."""

    tensor: Tensor | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class GradTypo(Event):
    """A write that was meant to set requires_grad and does not.

    `how` is `name` (a misspelt attribute, `written`), `module` (an attribute of a module, whose
    parameters do not care) or `comparison` (`==` as a statement).
    """

    how: Literal["name", "module", "comparison"] = "name"
    written: str = ""


@dataclass(slots=True, eq=False, kw_only=True)
class Construction(Event):
    """An optimizer was built; `stateful` when its steps depend on earlier ones."""

    optimizer: OptimizerV | None = None
    leaves: list[Leaf] = field(default_factory=list)
    stateful: bool = True


@dataclass(slots=True, eq=False, kw_only=True)
class Severed(Event):
    """Values were taken out of the graph of `tapes`, by `how`: a detach, a sample, a number read."""

    how: str = ""
    tapes: list[Node | Leaf] = field(default_factory=list)


Fate = Literal["read", "unread", "overwritten"]


@dataclass(slots=True, eq=False, kw_only=True)
class Term(Event):
    """A tensor whose node is `tape` got a name.

    By the text of the scope that name is `read` later, never read, or bound anew first.
    """

    tensor: Tensor | None = None
    tape: Node | None = None
    fate: Fate = "read"


@dataclass(slots=True, eq=False, kw_only=True)
class Clip(Event):
    """Gradients were clipped.

    `empty` when no leaf had one, `applied` when a step had applied all of them already; `sure` as for a step.
    `scaled` are those that were still multiplied by a loss scale. `leaves` are those whose gradients it
    bounds: none where the bound is infinite, as for a measurement.
    """

    leaves: list[Leaf] = field(default_factory=list)
    empty: bool = False
    applied: bool = False
    sure: bool = True
    scaled: list[Gradient] = field(default_factory=list)
