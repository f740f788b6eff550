"""Edits in terms of offsets, as they are while a plan is resolved and when text is changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """Replace what stands between the offsets `start` and `end` by `text`."""

    start: int
    end: int
    text: str


def overlap(changes: Iterable[Change]) -> bool:
    """Whether two of `changes` touch the same text, or insert at the same place."""
    return any(
        second.start < first.end or first.start == second.start == second.end
        for first, second in pairwise(sorted(changes))
    )


def changed(text: str, changes: Sequence[Change]) -> str:
    """`text` after `changes`, none of which overlaps another."""
    pieces: list[str] = []
    offset = 0
    for change in sorted(changes):
        pieces += (text[offset : change.start], change.text)
        offset = change.end
    return "".join([*pieces, text[offset:]])
