"""torch.utils.data: loaders, samplers, and the passes through them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lintgrad.machine import members
from lintgrad.machine.replicas import LoaderPass, LoaderV, SamplerV
from lintgrad.machine.values import (
    NONE,
    Arguments,
    ClassV,
    FunctionV,
    Instance,
    LibV,
    ListV,
    Lit,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.program import nodes
from lintgrad.program.text import text
from lintgrad.program.walk import descend

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


SAMPLERS = frozenset(
    """
    BatchSampler DistributedSampler RandomSampler SequentialSampler SubsetRandomSampler WeightedRandomSampler
    """.split()
)


ROWS = "rows()"
"""Where a dataset of tensors keeps how many rows they have: a name that no attribute can have."""


def loader(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`DataLoader(dataset, batch_size, shuffle, sampler, batch_sampler)`: its batches have no graph."""
    sampler = args.get(4, "batch_sampler") or args.get(3, "sampler")
    if isinstance(sampler, Lit) and sampler.value is None:
        sampler = None
    dataset = args.get(0, "dataset")
    made = LoaderV("loader", m.site(node), place="loader", dataset=dataset, sampler=sampler)
    rows, size = (
        dataset.members.get(ROWS) if isinstance(dataset, Unknown) else None,
        args.get(1, "batch_size"),
    )
    if isinstance(rows, Lit) and isinstance(size, Lit) and isinstance(rows.value, int):
        if isinstance(size.value, int) and size.value > 0:
            made.batches = -(-rows.value // size.value)
    made.split = bool(args.extra) or "generator" in args.keywords or _may_be_split(dataset)
    return made


def some_data(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """A dataset, or what torch.utils.data has beside loaders: its items are data without a graph."""
    if mentions_rank(node) or any(_may_be_split(value) for value in args.all() if isinstance(value, LoaderV)):
        return LoaderV("loader", m.site(node), place="loader", split=True)
    made = Unknown("loader", m.site(node), place="loader")
    first = args.get(0)
    if isinstance(first, Tensor) and first.shape:
        made.members[ROWS] = Lit(first.shape[0])
    return made


def seed(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`torch.manual_seed(...)`: one that differs between processes makes their shuffles differ."""
    m.seeded_by_rank = m.seeded_by_rank or mentions_rank(node)
    return m.unknown(node, "plain")


def mentions_rank(node: nodes.Node) -> bool:
    """Whether an expression names the process's number, or what is derived from it."""
    return any(
        _RANK.search(one.attr if isinstance(one, nodes.Attribute) else one.id)
        for one in descend(node, into_functions=False)
        if isinstance(one, (nodes.Attribute, nodes.Name))
    )


_RANK = re.compile(r"rank|world|shard|replica|process_index|node", re.IGNORECASE)


def _is_plain(base: Value) -> bool:
    """Whether a base class gives its items by their numbers, and all of them."""
    return isinstance(base, LibV) and base.name in _PLAIN


_PLAIN = frozenset("torch.utils.data.Dataset torch.utils.data.dataset.Dataset builtins.object".split())


def _may_be_split(dataset: Value | None) -> bool:
    """Whether a dataset may be this process's part of the data."""
    match dataset:
        case LoaderV():
            return dataset.split
        case Unknown():
            return dataset.reason != "loader"
        case Instance():
            methods = [one for one in dataset.cls.members.values() if isinstance(one, FunctionV)]
            words = {word for one in methods for word in one.definition.words} | dataset.members.keys()
            return (
                any(_RANK.search(word) for word in words)
                or not all(isinstance(base, ClassV) or _is_plain(base) for base in dataset.cls.order)
                or members.class_member(dataset.cls, "__getitem__") is None
            )
        case _:
            return not isinstance(dataset, ListV)


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
                **m.here(node),
                name=text(node.iterable) if isinstance(node, nodes.For) else "",
                loader=iterable,
                drawn=isinstance(node, nodes.Call),
                seeded=m.seeded_by_rank,
            )
        )
