"""Who added what to which `.grad`, and which step used it: the exact account of a run.

A gradient that is None or all zero when the next backward or step begins was cleared. So that no honest
gradient is all zero, what a backward leaves is made positive; control never hangs on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

from tests.differential.torch_side.loops import Loops, user_line


def is_early(turns: Iterable[int]) -> bool:
    """Whether the machine runs this combination of the turns of the loops around.

    It runs two turns of a loop, and one of those in it once a loop around is in its second.
    """
    later = [turn for turn in turns if turn > 1]
    return later in ([], [2])


@dataclass
class Entry:
    """What one backward added; the optimizer whose step used it first."""

    applied: int | None = None


@dataclass
class Clear:
    """One clear, of one or many leaves: its number, and whether it took what no step had used."""

    number: int
    lost: bool = False


@dataclass
class Account:
    """One leaf: what lies in its `.grad`, and its last clear."""

    tensor: torch.Tensor
    entries: list[Entry] = field(default_factory=list)
    cleared: Clear | None = None

    def clear(self, clear: Clear) -> None:
        """What lies there is gone."""
        clear.lost |= any(entry.applied is None for entry in self.entries)
        self.cleared = clear
        self.entries.clear()

    def mark(self) -> None:
        """Make sure that what a backward left is not all zero."""
        if self.tensor.grad is not None:
            with torch.no_grad():
                self.tensor.grad.data.abs_().add_(1)


@dataclass
class Ledger:
    """All accounts, and all steps: the line, what was found, whether it was early."""

    loops: Loops
    accounts: dict[int, Account] = field(default_factory=dict)
    clears: int = 0
    busy: bool = False
    steps: list[tuple[int, str, bool]] = field(default_factory=list)

    def _look(self, account: Account) -> Account:
        """Bring an account up to date with what the program did to `.grad`."""
        gradient = account.tensor.grad
        if account.entries and (gradient is None or not gradient.any()):
            account.clear(self._clear())
        return account

    def _clear(self) -> Clear:
        self.clears += 1
        return Clear(self.clears)

    def _of(self, tensor: torch.Tensor) -> Account:
        return self._look(self.accounts.setdefault(id(tensor), Account(tensor)))

    @contextmanager
    def zeroing(self, tensors: Iterable[torch.Tensor]) -> Iterator[None]:
        """A `zero_grad` of these leaves runs."""
        clear = self._clear()
        for account in [self._of(tensor) for tensor in tensors]:
            account.clear(clear)
        self.busy = True
        yield
        self.busy = False

    def before_backward(self) -> None:
        """A backward begins."""
        for account in self.accounts.values():
            self._look(account)

    def after_backward(self, reached: list[torch.Tensor]) -> None:
        """A backward has added to the gradients of these leaves."""
        for leaf in reached:
            if leaf.grad is not None:
                account = self._of(leaf)
                account.entries.append(Entry())
                account.mark()

    def assigned(self, leaf: torch.Tensor, value: torch.Tensor | None) -> None:
        """The program is about to assign `value` to the gradient of `leaf`."""
        if self.busy:
            return
        account = self._of(leaf)
        if value is not None:
            account.entries = [Entry()]
        else:
            account.clear(self._clear())

    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """An optimizer is about to step."""
        if closure(args, kwargs) is None:
            self._judge(optimizer)

    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """An optimizer has stepped; with a closure it has called that first."""
        if closure(args, kwargs) is not None:
            self._judge(optimizer)

    def _judge(self, optimizer: Any) -> None:
        """Say what a step finds, and mark it as used."""
        mine = [self._of(tensor) for group in optimizer.param_groups for tensor in group["params"]]
        early = is_early(turn for _, turn in self.loops.stamp().values())
        self.steps.append((user_line(), _verdict(mine, id(optimizer)), early))
        for account in mine:
            for entry in account.entries:
                entry.applied = entry.applied or id(optimizer)


def closure(args: Any, kwargs: Any) -> Any:
    """The closure among what a step was called with (the optimizer itself comes first)."""
    return args[1] if len(args) > 1 else kwargs.get("closure")


def _verdict(mine: list[Account], optimizer: int) -> str:
    entries = [entry for account in mine for entry in account.entries]
    if not entries:
        clears = [account.cleared for account in mine if account.cleared is not None]
        newest = max(clears, key=lambda clear: clear.number, default=None)
        return "lost" if newest is not None and newest.lost else "empty"
    fresh = any(entry.applied is None for entry in entries)
    again = [entry.applied for entry in entries if entry.applied is not None]
    return "stale" if again and (fresh or optimizer in again) else "good"
