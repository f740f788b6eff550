"""Text under construction, and the choices that make it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass
class Pen:
    """Writes lines; `number` draws a number, both ends included.

    The first of several choices is the simplest one.
    """

    number: Callable[[int, int], int]
    lines: list[str] = field(default_factory=list)
    indent: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def write(self, line: str) -> None:
        """One line at the present indent."""
        self.lines.append("    " * self.indent + line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """A compound statement; `pass` where its body stays empty."""
        self.write(head)
        self.indent += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.write("pass")
        self.indent -= 1

    def new(self, letter: str) -> str:
        """A name that is not in use."""
        self.counts[letter] = self.counts.get(letter, -1) + 1
        return f"{letter}{self.counts[letter]}"

    def pick(self, choices: Sequence[T]) -> T:
        """One of several."""
        return choices[self.number(0, len(choices) - 1)] if len(choices) > 1 else choices[0]

    def chance(self, of: int) -> bool:
        """True once in `of` times."""
        return self.number(0, of - 1) == of - 1
