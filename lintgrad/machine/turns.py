"""Turns of loops: which pass through which loop made a thing."""

from __future__ import annotations

from dataclasses import dataclass, field

from lintgrad.diagnostics import Site


@dataclass(slots=True, eq=False)
class Activation:
    """One execution of a loop from its head to its exit.

    `bounded` says that the turns run are all there are (a loop over a known short list);
    otherwise two turns stand for many. `count` is the number of turns where the loop is over `range(count)`.
    """

    site: Site
    bounded: bool
    started: int
    finished: int | None = None
    count: object = None


@dataclass(slots=True, eq=False)
class Turn:
    """Turn number `index` of a loop, inside turn `outer` of the loop around it."""

    loop: Activation
    index: int
    outer: Turn | None
    memo: dict[tuple[object, ...], bool] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """How many loops stand around, this one included."""
        return 1 + (self.outer.depth if self.outer else 0)


def chain(turn: Turn | None) -> list[Turn]:
    """`turn` and those around it, innermost first."""
    turns: list[Turn] = []
    while turn is not None:
        turns.append(turn)
        turn = turn.outer
    return turns


def turn_of(turn: Turn | None, loop: Activation) -> Turn | None:
    """The one of `turn` and those around it that is a turn of `loop`."""
    while turn is not None and turn.loop is not loop:
        turn = turn.outer
    return turn


def earlier(made: Turn | None, now: Turn | None) -> Turn | None:
    """The turn of `now` whose loop has gone on since `made`: the outermost, or None.

    Both must lie in the same execution of that loop, `made` in an earlier turn of it.
    """
    if made is now or made is None or now is None:
        return None
    then = {id(turn.loop): turn.index for turn in chain(made)}
    found = None
    for turn in chain(now):
        index = then.get(id(turn.loop))
        if index is not None and index < turn.index:
            found = turn
    return found


def entered(made: Turn | None, now: Turn | None) -> Turn | None:
    """The outermost turn of `now` that is not one of `made`: the loop that control entered since."""
    before = {id(turn) for turn in chain(made)}
    found = None
    for turn in chain(now):
        if id(turn) not in before:
            found = turn
    return found
