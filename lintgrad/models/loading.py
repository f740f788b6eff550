"""torch.utils.data: loaders, samplers, and the passes through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine.replicas import LoaderPass, LoaderV, SamplerV
from lintgrad.machine.values import NONE, Arguments, Lit, Unknown, Value
from lintgrad.program import nodes
from lintgrad.program.text import text

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


SAMPLERS = frozenset(
    """
    BatchSampler DistributedSampler RandomSampler SequentialSampler SubsetRandomSampler WeightedRandomSampler
    """.split()
)


def loader(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`DataLoader(dataset, batch_size, shuffle, sampler, batch_sampler)`: its batches have no graph."""
    sampler = args.get(4, "batch_sampler") or args.get(3, "sampler")
    if isinstance(sampler, Lit) and sampler.value is None:
        sampler = None
    made = LoaderV("loader", m.site(node), place="loader", dataset=args.get(0, "dataset"), sampler=sampler)
    made.split = bool(args.extra)
    return made


def sampler(kind: str, m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """A sampler of class `kind`."""
    made = SamplerV("loader", m.site(node), place="sampler", kind=kind)
    if kind == "BatchSampler":
        made.inner = args.get(0, "sampler")
    if kind == "DistributedSampler":
        made.shuffle = args.get(3, "shuffle")
    return made


def attribute(receiver: Unknown, name: str) -> Value | None:
    """`loader.sampler`, `loader.batch_sampler.sampler`, `loader.dataset`."""
    if isinstance(receiver, LoaderV):
        if name in ("sampler", "batch_sampler"):
            return receiver.sampler
        return receiver.dataset if name == "dataset" else None
    if isinstance(receiver, SamplerV) and name == "sampler":
        return receiver.inner or receiver
    return None


def method(receiver: Unknown, name: str) -> Value | None:
    """`sampler.set_epoch(epoch)`."""
    if name == "set_epoch" and isinstance(receiver, SamplerV):
        receiver.told = True
        return NONE
    if name == "set_epoch" and isinstance(receiver, LoaderV) and isinstance(receiver.sampler, SamplerV):
        receiver.sampler.told = True
    return None


def note_pass(m: Machine, iterable: Value, node: nodes.Node) -> None:
    """A loop walks `iterable`."""
    if isinstance(iterable, LoaderV):
        m.record(
            LoaderPass(
                site=m.site(node),
                stack=m.stack,
                turn=m.turn,
                seq=m.tick(),
                name=_walked(node),
                loader=iterable,
            )
        )


def _walked(node: nodes.Node) -> str:
    return text(node.iterable) if isinstance(node, nodes.For) else ""
