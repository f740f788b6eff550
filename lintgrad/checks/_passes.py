"""Passes through a loader, and what runs in them."""

from __future__ import annotations

from lintgrad.machine.observations import Backward
from lintgrad.machine.replicas import LoaderPass
from lintgrad.machine.turns import chain


def in_loop(backward: Backward, event: LoaderPass) -> bool:
    """Whether the backward runs in the loop that walks the loader, or draws from it."""
    if event.drawn:
        return event.turn is not None and event.turn in chain(backward.turn)
    return any(turn.loop.site == event.site for turn in chain(backward.turn))
