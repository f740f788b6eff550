"""What a tensor function returns: asked by the machine for `x.name(...)`, `torch.name(...)`, `F.name(...)`.

`op_info` tells whether the result carries its arguments' graph, how many elements it has, whether it
writes to its argument; `bind` says which parameter each argument of a call is.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lintgrad.models import tensor_names
from lintgrad.models.signatures import Parameter, signatures
from lintgrad.models.tensor_names import Numel, Result


@dataclass(frozen=True, slots=True)
class OpInfo:
    """The behaviour of a tensor function.

    result    `graph`: a tensor that carries its arguments' graph; `cut`: a tensor without one;
              `python`: no tensor; `factory`: a new leaf; `none`: nothing to use
    numel     `one`: one element; `reduce`: one when no dim is given; `loss`: one unless
              reduction="none"; `same`: as many as its first argument, broadcast with the others; `unknown`
    integer   the result is of an integer or boolean type
    inplace   it writes to its first argument, whose version moves (`detach_` and `requires_grad_` do not)
    view      the result shares its first argument's memory; `maybe_view` when that hangs on the values
    pure      a call of it as a statement does nothing
    parts     of how many tensors the result consists: 1, or a fixed number, or 0 when it varies
    parts_with_dim   it is one tensor after all when no dim is given
    first_only       only the first part carries the graph
    """

    name: str
    result: Result
    numel: Numel
    integer: bool = False
    inplace: bool = False
    view: bool = False
    maybe_view: bool = False
    parts: int = 1
    parts_with_dim: bool = False
    first_only: bool = False

    @property
    def pure(self) -> bool:
        """Whether a call of it as a statement does nothing."""
        return not (self.result == "none" or self.name.endswith("_") or self.name == "setitem")

    @property
    def tensor_args(self) -> tuple[str, ...]:
        """The names of the parameters that take tensors, over all signatures; `input` is `self`."""
        parameters = (p for signature in _signatures(self.name, method=False) for p in signature)
        return tuple(dict.fromkeys(p.name for p in parameters if p.tensor))


@functools.lru_cache(maxsize=4096)
def op_info(name: str) -> OpInfo | None:
    """The behaviour of the function or attribute `name` (a dotted prefix is dropped); None if unknown."""
    name = name.rpartition(".")[2]
    table = _table()
    info = table.get(name)
    if info is None and name.endswith("_") and not name.endswith("__"):
        base = table.get(name[:-1])
        if base is not None and base.result in ("graph", "cut"):
            return replace(base, name=name, inplace=True, view=False, maybe_view=False, parts=1, numel="same")
    return info


def bind(
    name: str, positional: Sequence[bool], keywords: Iterable[str] = (), *, method: bool = False
) -> tuple[str, ...]:
    """The parameter that each positional argument of a call of `name` is.

    `positional` says of each argument whether it is a tensor (or a list of tensors), a method's own
    tensor being the first; `keywords` are the names of the others. An argument with no parameter has
    the empty name; elements of a list that are given one by one have the name of the list.
    """
    found = _signatures(name.rpartition(".")[2], method=method)
    if not found:
        return ("",) * len(positional)
    given = frozenset(keywords)
    signature = min(found, key=lambda s: _misfit(s, positional, given))
    names = [parameter.name for parameter in signature[: len(positional)]]
    rest = signature[-1].name if signature and signature[-1].many else ""
    return (*names, *[rest] * (len(positional) - len(names)))


def _signatures(name: str, *, method: bool) -> tuple[tuple[Parameter, ...], ...]:
    """As stored; a function of one tensor has no entry. A method's own tensor stands first."""
    found = signatures(name)
    if not found and (info := op_info(name)) is not None and info.result in ("graph", "cut", "python"):
        found = ((Parameter("input", ""),),)
    if not method:
        return found
    return tuple(tuple(sorted(signature, key=lambda p: p.name != "input")) for signature in found)


def _misfit(signature: tuple[Parameter, ...], positional: Sequence[bool], keywords: frozenset[str]) -> int:
    pairs = list(zip(signature, positional, strict=False))
    wrong = sum(1 for parameter, tensor in pairs if tensor and not parameter.tensor)
    scalar = sum(1 for parameter, tensor in pairs if not tensor and parameter.tensor)
    unfit = len(keywords - {p.name for p in signature})
    open_end = bool(signature) and signature[-1].many
    surplus = 0 if open_end else max(0, len(positional) - len(signature))
    missing = sum(1 for p in signature[len(positional) :] if p.required and p.name not in keywords)
    return 4 * wrong + 2 * scalar + 2 * unfit + 8 * surplus + 4 * missing


def known_names() -> Iterator[str]:
    """Each name of the table; the in-place forms that follow from another name are left out."""
    yield from _table()


@functools.cache
def _table() -> dict[str, OpInfo]:
    integer = frozenset(tensor_names.INTEGER.split())
    parts = dict(item.split(":") for item in tensor_names.PARTS.split())
    table: dict[str, OpInfo] = {}
    for (result, numel, sharing), names in tensor_names.GROUPS.items():
        for name in names.split():
            info = OpInfo(
                name,
                result,
                numel,
                integer=name in integer,
                view=sharing == "view",
                maybe_view=sharing == "maybe",
            )
            table[name] = _with_parts(info, parts[name]) if name in parts else info
    for name in tensor_names.IN_PLACE.split():
        table[name] = OpInfo(name, "graph", "same", inplace=True)
    for name in tensor_names.META_IN_PLACE.split():
        table[name] = OpInfo(name, "cut" if name == "detach_" else "graph", "same")
    return table


def _with_parts(info: OpInfo, mark: str) -> OpInfo:
    count = 0 if mark[0] == "*" else int(mark[0])
    return replace(info, parts=count, parts_with_dim="?" in mark, first_only="i" in mark)
