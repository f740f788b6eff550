"""Decisions at conditions that the program does not decide, and the order in which paths are run."""

from __future__ import annotations

from dataclasses import dataclass, field

Key = tuple[int, int, int]


class BudgetError(Exception):
    """A budget ran out; what was seen until then stands."""


class PathEndError(Exception):
    """The path ends here: `sys.exit()` and its like."""


@dataclass(slots=True)
class Choice:
    """One decision: where, how, and how much there is to gain from the other way (0: nothing)."""

    key: Key
    outcome: bool
    gain: int


@dataclass(slots=True)
class Choices:
    """The decisions of one path: those of `script` first, then defaults.

    The last one of the script is the one that was flipped; its condition stays so for the rest of
    the path, as the same question mostly has the same answer.
    """

    script: tuple[bool, ...] = ()
    taken: list[Choice] = field(default_factory=list)
    sticky: dict[int, bool] = field(default_factory=dict)

    def decide(self, key: Key, default: bool, gain: int) -> bool:
        """The outcome of the next undecided condition; `key` names it for coverage."""
        position = len(self.taken)
        if position < len(self.script):
            outcome = self.script[position]
            if position == len(self.script) - 1:
                self.sticky[key[0]] = outcome
        else:
            outcome = self.sticky.get(key[0], default)
        self.taken.append(Choice(key, outcome, gain))
        return outcome


@dataclass(slots=True)
class Frontier:
    """The scripts still to run: each flips one decision of a path that was run.

    A flip is queued when no path has taken that way at that condition yet, so the number of paths
    grows with the number of conditions and not with two to its power.
    """

    limit: int
    covered: set[tuple[Key, bool]] = field(default_factory=set)
    waiting: list[tuple[int, int, tuple[bool, ...]]] = field(default_factory=list)
    started: int = 0
    left: bool = False

    def add(self, choices: Choices) -> None:
        """Queue the flips of the path that took `choices`."""
        fixed = len(choices.script)
        for choice in choices.taken:
            self.covered.add((choice.key, choice.outcome))
        for position, choice in enumerate(choices.taken):
            flipped = (choice.key, not choice.outcome)
            if position < fixed or choice.gain <= 0 or flipped in self.covered:
                continue
            self.covered.add(flipped)
            script = (*(c.outcome for c in choices.taken[:position]), not choice.outcome)
            self.waiting.append((-choice.gain, len(self.waiting), script))

    def next(self) -> tuple[bool, ...] | None:
        """The script of the next path, the most promising first; None when done or at the limit."""
        if self.started == 0:
            self.started = 1
            return ()
        if not self.waiting:
            return None
        if self.started >= self.limit:
            self.left = True
            return None
        best = min(self.waiting)
        self.waiting.remove(best)
        self.started += 1
        return best[2]
