"""The parameters of tensor functions and of constructors, from a table that torch itself gave.

`scripts/generate_signatures.py` writes the table. A signature is one line of parameters: `x` takes a
tensor, `x?` a tensor or None, `x*` tensors in a list or one by one, `x#` anything else, `x=` anything
else and has a default, `x+` sizes in a list or one by one.
"""

from __future__ import annotations

import functools
import json
import pkgutil
from typing import NamedTuple


class Parameter(NamedTuple):
    """One positional parameter of a tensor function."""

    name: str
    kind: str

    @property
    def tensor(self) -> bool:
        """Whether it takes a tensor or several."""
        return self.kind in ("", "?", "*")

    @property
    def many(self) -> bool:
        """Whether its items may be given as arguments of their own."""
        return self.kind in ("*", "+")

    @property
    def required(self) -> bool:
        """Whether a call without it is wrong."""
        return self.kind in ("", "#")


@functools.cache
def signatures(name: str) -> tuple[tuple[Parameter, ...], ...]:
    """The signatures of the function `name`, a method's own tensor being `input`; none if unknown."""
    table = _table().functions
    texts = table.get(name) or table.get(name.rstrip("_"), [])
    return tuple(tuple(map(_parameter, text.split())) for text in texts)


def _parameter(word: str) -> Parameter:
    name = word.rstrip("?*#=+")
    return Parameter(name, word[len(name) :])


def constructor(name: str) -> tuple[str, ...]:
    """The parameters of the class `name` of `torch.nn` or `torch.optim`, in order; none if unknown."""
    return tuple(_table().classes.get(name, "").split())


class _Table(NamedTuple):
    functions: dict[str, list[str]]
    classes: dict[str, str]


@functools.cache
def _table() -> _Table:
    data = pkgutil.get_data("lintgrad.models", "data/signatures.json")
    assert data is not None, "the wheel lacks models/data/signatures.json"
    loaded = json.loads(data)
    return _Table(loaded["functions"], loaded["classes"])
