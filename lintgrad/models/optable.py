"""What an operation keeps for its backward: asked by the machine at each differentiable call.

A *spec* is one line, `arguments -> kept`. Arguments, in the order of the Python signature: `x` a
tensor, `x?` one that may be None, `x*` any number of tensors, `x#` a number, `x!` an optional `dim`.
Kept: the name of an argument, alone or, as `x@y,z`, when y or z needs a gradient; `+result` for the
first result; `+other` for a tensor that the program cannot reach or that is not its first result.

Specs come from the table that `scripts/generate_optable.py` makes of PyTorch's own formulas, and,
for functions that PyTorch composes of several ops, from `lintgrad.models.composites`.
"""

from __future__ import annotations

import functools
import json
import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lintgrad.models import composites


class Operand(NamedTuple):
    """An argument as far as saving goes; a Python number or None is no `tensor`."""

    tensor: bool
    needs_grad: bool


@dataclass(frozen=True, slots=True)
class Saved:
    """What one call keeps.

    `inputs` are positions among the operands given. `result` is the call's (first) result. `other` is
    anything else: indices, a mask, a wrapped number, a tensor between the parts of a composite.
    `known` is False for an op that is in no table; it then keeps something (`other`).
    """

    inputs: tuple[int, ...] = ()
    result: bool = False
    other: bool = False
    known: bool = True

    @property
    def anything(self) -> bool:
        """Whether a second backward through a freed node of this op raises."""
        return bool(self.inputs) or self.result or self.other


GRAPH = Operand(tensor=True, needs_grad=True)
PLAIN = Operand(tensor=True, needs_grad=False)
NUMBER = Operand(tensor=False, needs_grad=False)

NOTHING = Saved()
UNKNOWN = Saved(other=True, known=False)

_UNFIT = 100  # more than any sum of the lesser costs below


class _Argument(NamedTuple):
    name: str
    kind: str  # "" | "?" | "*" | "#" | "!", as in a spec


class _Spec(NamedTuple):
    arguments: tuple[_Argument, ...]
    kept: tuple[tuple[str, frozenset[str]], ...]  # an empty set: always
    result: bool
    other: bool


def saved(
    op: str,
    operands: Sequence[Operand],
    *,
    training: bool = True,
    dim: bool = False,
    inplace: bool = False,
    variant: str = "",
) -> Saved:
    """What the call of `op` on `operands` keeps for its backward.

    `op` is the Python-level name (`mul`, `linear`, `relu_`, `getitem`; a dotted prefix is dropped),
    `operands` its tensors and numbers in the order of the signature. The elements of a list of
    tensors and index tensors of a subscript stand one by one; other indices are left out. A `dim` may
    be left out and told with the flag of that name instead. `inplace` is `inplace=True`. `variant`
    tells apart what only a constant argument does: `one` (adaptive pooling to size 1), `reflect`,
    `replicate`, `circular` (pad), `hard` (gumbel_softmax).
    """
    name = op.rpartition(".")[2] if "." in op else op
    if inplace and not name.endswith("_"):
        name += "_"
    mode = variant or ("" if training else "eval")
    return _saved(name, tuple(operands), dim, mode)


def table_version() -> str:
    """The version of torch that the table was generated from."""
    return _table()[0]


@functools.lru_cache(maxsize=4096)
def _saved(name: str, operands: tuple[Operand, ...], dim: bool, mode: str) -> Saved:
    specs = _specs(name, mode)
    overwrites = name.endswith("_") and not name.endswith("__")
    if not specs and overwrites:
        specs = _specs(name[:-1], mode)
    if not specs:
        return UNKNOWN
    if not any(o.needs_grad for o in operands):
        return NOTHING
    bindings = [_bind(spec, operands, dim) for spec in specs]
    best = min(range(len(specs)), key=lambda k: bindings[k][0])
    cost, names = bindings[best]
    return _verdict(specs[best], operands, names, overwrites) if cost < _UNFIT else UNKNOWN


def _verdict(spec: _Spec, operands: tuple[Operand, ...], names: tuple[str, ...], overwrites: bool) -> Saved:
    needing = {name for name, operand in zip(names, operands, strict=True) if operand.needs_grad}
    kept = {name for name, condition in spec.kept if not condition or condition & needing}
    positions = [k for k, name in enumerate(names) if name in kept]
    optional = {a.name for a in spec.arguments if a.kind == "?"}
    # A number in a tensor's place is wrapped as a tensor and kept as one.
    wrapped = any(not operands[k].tensor and names[k] not in optional for k in positions)
    # An in-place op keeps a copy of what it overwrites.
    copied = overwrites and 0 in positions
    inputs = tuple(k for k in positions if operands[k].tensor and not (overwrites and k == 0))
    return Saved(inputs, spec.result, spec.other or wrapped or copied)


def _bind(spec: _Spec, operands: tuple[Operand, ...], dim: bool) -> tuple[int, tuple[str, ...]]:
    """How badly `operands` fit `spec` (0 is best), and the argument that each operand is."""
    cost = 1 if dim and not any(a.kind == "!" for a in spec.arguments) else 0
    names: list[str] = []
    for argument in spec.arguments:
        rest = operands[len(names) :]
        taken, penalty = _take(argument, rest, dim)
        names += [argument.name] * taken
        cost += penalty
    surplus = len(operands) - len(names)
    cost += sum(3 if o.tensor else 1 for o in operands[len(names) :])
    return cost, (*names, *[""] * surplus)


def _take(argument: _Argument, rest: tuple[Operand, ...], dim: bool) -> tuple[int, int]:
    """How many operands `argument` takes from the head of `rest`, and how badly they fit."""
    head = rest[0] if rest else None
    match argument.kind:
        case "*":
            count = next((k for k, o in enumerate(rest) if not o.tensor), len(rest))
            return count, 0 if count else 1
        case "!":
            given = head is not None and not head.tensor
            return int(given), 0 if given or dim else 2
        case "#":
            if head is None:
                return 0, 0
            return (0, 4) if head.tensor else (1, 0)
        case "?":
            return (1, 0) if head is not None else (0, 0)
        case _:
            if head is None:
                return 0, _UNFIT
            return 1, 0 if head.tensor else 1


# --- the tables -----------------------------------------------------------------------------------


@functools.cache
def _specs(name: str, mode: str) -> tuple[_Spec, ...]:
    """The overloads of an op; those of the mode alone where the mode has its own."""
    if mode and (own := _overloads(f"{name}/{mode}")):
        return own
    return _overloads(name)


def _overloads(name: str) -> tuple[_Spec, ...]:
    curated = composites.SPECS.get(name)
    alias = composites.ALIASES.get(name)
    if alias is None and name.endswith("_") and (base := composites.ALIASES.get(name[:-1])):
        alias = base + "_"
    generated = _table()[1].get(alias or name, ())
    if alias is not None and not generated and curated is None:
        curated = composites.SPECS.get(alias)
    return (*map(_parse, curated or ()), *map(_from_entry, generated))


@functools.cache
def _table() -> tuple[str, dict[str, list[dict[str, str]]]]:
    """The generated table: its torch version, and the entries by op, overloads together."""
    data = pkgutil.get_data("lintgrad.models", "data/optable.json")
    assert data is not None, "the wheel lacks models/data/optable.json"
    loaded: dict[str, dict[str, dict[str, str]]] = json.loads(data)
    by_name: dict[str, list[dict[str, str]]] = {}
    for key, entry in loaded["ops"].items():
        name, _, overload = key.partition(".")
        if not overload.endswith("_mode"):  # `div` with a rounding mode, which operands cannot tell
            by_name.setdefault(name, []).append(entry)
    return str(loaded["torch"]), by_name


def _from_entry(entry: dict[str, str]) -> _Spec:
    outputs = entry["outputs"].split()
    kept = [entry["inputs"]]
    if "0" in outputs:
        kept.append("+result")
    if outputs not in ([], ["0"]):
        kept.append("+other")
    return _parse(f"{entry['args']} -> {' '.join(kept)}")


@functools.cache
def _parse(text: str) -> _Spec:
    before, _, after = text.partition("->")
    arguments = tuple(_Argument(w.rstrip("?*#!"), w[len(w.rstrip("?*#!")) :]) for w in before.split())
    words = after.split()
    kept = tuple(_condition(w) for w in words if not w.startswith("+"))
    return _Spec(arguments, kept, "+result" in words, "+other" in words)


def _condition(word: str) -> tuple[str, frozenset[str]]:
    name, _, names = word.partition("@")
    return name, frozenset(names.split(",")) if names else frozenset()


def known_ops() -> Iterator[str]:
    """Each name that `saved` knows, aliases included, without modes."""
    for name in {*_table()[1], *composites.SPECS, *composites.ALIASES}:
        if "/" not in name:
            yield name
