"""Replicas of a model, one a process: where they are made, run, and given their data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lintgrad.machine.engines import EngineV
from lintgrad.machine.observations import Event
from lintgrad.machine.values import Lit, Unknown
from lintgrad.program.nodes import Call
from lintgrad.program.text import text

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.machine.values import ModuleState, Value
    from lintgrad.program import nodes


@dataclass(slots=True, eq=False)
class SamplerV(Unknown):
    """A sampler of torch's, of class `kind`; `inner` is the one whose numbers it groups.

    `told` when it was told the epoch; `touched` when unseen code last had it.
    `batches` is how many it gives, where that is known.
    """

    kind: str = ""
    inner: Value | None = None
    shuffle: Value | None = None
    told: bool = False
    touched: int = -1
    batches: int | None = None


@dataclass(slots=True, eq=False)
class LoaderV(Unknown):
    """A DataLoader over `dataset`, which takes its order from `sampler` where it is given one.

    `split` says that its data may be another process's already; `touched` when unseen code last had it.
    `batches` is how many it gives, where that is known.
    """

    dataset: Value | None = None
    sampler: Value | None = None
    split: bool = False
    touched: int = -1
    batches: int | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Replicated(Event):
    """`DistributedDataParallel(module)` gave `wrapper`."""

    wrapper: EngineV


@dataclass(slots=True, eq=False, kw_only=True)
class ReplicaForward(Event):
    """The module behind a wrapper runs: through it (`bare` False), or past it."""

    replica: Replicated
    grad: bool = True
    bare: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class LoaderPass(Event):
    """A loop begins to walk a loader, or a batch is `drawn` by `next`.

    `seeded` when the processes' random numbers were made to differ.
    """

    loader: LoaderV
    drawn: bool = False
    seeded: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Collective(Event):
    """A call of torch.distributed in which every process has to take part."""

    op: str = ""


def distributed_sampler(value: Value | None) -> SamplerV | None:
    """The DistributedSampler in a sampler."""
    depth = 0
    while isinstance(value, SamplerV) and depth < 4:
        if value.kind == "DistributedSampler":
            return value
        value, depth = value.inner, depth + 1
    return None


def note_bare(m: Machine, state: ModuleState, node: nodes.Node) -> None:
    """A module with a replica runs: past its wrapper, unless that is running."""
    if isinstance(state.replica, Replicated) and not m.wrapped:
        note_forward(m, state.replica, node, bare=True)


def note_forward(m: Machine, replica: Replicated, node: nodes.Node, *, bare: bool) -> None:
    """The module of a replica runs."""
    m.record(
        ReplicaForward(
            **m.here(node),
            name=text(node.func) if isinstance(node, Call) else "",
            replica=replica,
            grad=m.grad,
            bare=bare,
        )
    )


def rank(m: Machine, node: nodes.Node) -> Value:
    """The process's number: 0 on some paths and 1 on others, the same all along a path."""
    from lintgrad.machine import conditions

    if m.trace.rank is None:
        m.trace.rank = 0 if conditions.choose(m, node, True, 2) else 1
        m.trace.ranked = m.site(node)
    return Lit(m.trace.rank)
