"""What the calls in a guarded program call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from lintgrad.verify.child.run import Run
from lintgrad.verify.child.standins import guards
from lintgrad.verify.child.standins.kinds import Makers, Model
from lintgrad.verify.child.standins.repair import TELLING
from lintgrad.verify.child.standins.values import SMALL, Unknown

_MOST_SKIPS = 50


class Helpers:
    """Skips, takes apart, stands in."""

    def __init__(self, run: Run, makers: Makers) -> None:
        self.run = run
        self.makers = makers

    def names(self) -> dict[str, Callable[..., Any]]:
        """The helpers by the names that the program calls them by."""
        return {
            guards.SKIP: self.skip,
            guards.STAND: self.makers.make,
            guards.UNKNOWN: Unknown,
            guards.EACH: self.each,
            guards.TAKE: take,
            guards.TRY: self.attempt,
            guards.KIND: self.kind,
        }

    def skip(self, line: int, error: Exception) -> None:
        """A statement failed. Torch's own words on graphs are what the run is for, and no failure."""
        text = str(error)
        if not any(words in text for words in TELLING) and len(self.run.record.skipped) < _MOST_SKIPS:
            where = f"line {line}: " if line else ""
            self.run.record.skipped.append(f"{where}{type(error).__name__}: {text[:120]}")

    def attempt(self, value: Any) -> Any:
        """What a header's expression gives, or a stand-in."""
        if isinstance(value, tuple):
            return value[0]
        try:
            return value()
        except Exception as error:  # noqa: BLE001 - whatever it is, the program is to go on
            self.skip(0, error)
            return Unknown("header")

    def each(self, values: Any, parts: Any) -> Iterator[Any]:
        """The items of a loop, each with as many parts as it is taken into."""
        items: Iterable[Any] = self.attempt(values)
        try:
            iterator = iter(items)
        except TypeError:
            iterator = iter(Unknown("items"))
        for number in itertools.count():
            try:
                item = next(iterator)
            except StopIteration:
                return
            except Exception as error:  # noqa: BLE001 - data that cannot be loaded is stood in for
                self.skip(0, error)
                if number >= SMALL:
                    return
                item = Unknown(f"item{number}")
            yield take(item, parts)

    def kind(self, value: Any, name: str, owner: Any) -> Any:
        """What is assigned to a name: for an unknown value, the stand-in of the name's kind."""
        if not isinstance(value, Unknown) or value.lg_graph is not None:
            return value
        if self.makers.knows(name):
            return self.makers.make(name)
        called = value.lg_name.removesuffix("()").rpartition(".")[2]
        if isinstance(owner, torch.nn.Module) and value.lg_name.endswith("()") and called[:1].isupper():
            return Model()
        return value


def take(value: Any, parts: Any) -> Any:
    """`value` with the parts that a target takes it into; `parts` as `guards` writes it."""
    if not isinstance(parts, tuple):
        return value
    if -1 in parts:
        return value
    if isinstance(value, Unknown):
        items = [value.lg_part(number) for number in range(len(parts))]
    else:
        try:
            items = list(value)
        except TypeError:
            items = [value]
        items = items[: len(parts)] + [Unknown(f"part{n}") for n in range(len(items), len(parts))]
    return [take(item, inner) for item, inner in zip(items, parts, strict=True)]
