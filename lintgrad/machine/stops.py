"""How control leaves a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lintgrad.machine.values import Value

Signal = Literal["break", "continue", "return"] | None


class ProgramRaise(Exception):  # noqa: N818  (it is the program's raise, not an error of ours)
    """The program raises `value`."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class GeneratorStop(Exception):  # noqa: N818  (it is the consumer's wish, not an error)
    """The consumer of a generator wants no more."""
