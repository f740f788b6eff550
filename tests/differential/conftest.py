"""The server that runs programs on torch, and the programs kept from earlier disagreements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from tests.differential.torch_seen import Server, server

FOLDER = Path(__file__).parents[2] / "fixtures" / "differential"
KNOWN = "# known:"
TORCH = "# torch:"


@dataclass(frozen=True)
class Kept:
    """A program that the machine and torch once disagreed on.

    Its first line says what torch shows: `# torch: second 9` for the exception and its line, `# torch:
    stale 12` for a step on used gradients, `lost 12` for one that finds nothing, or `# torch: nothing`. A
    second line `# known: why` says that they still disagree.
    """

    path: Path

    @cached_property
    def text(self) -> str:
        """The program, as it lies there."""
        return self.path.read_text(encoding="utf-8")

    @property
    def shows(self) -> str:
        """What torch shows."""
        return self.text.splitlines()[0].removeprefix(TORCH).strip()

    @property
    def reason(self) -> str | None:
        """Why the disagreement is left; None where it is mended."""
        second = self.text.splitlines()[1]
        return second.removeprefix(KNOWN).strip() if second.startswith(KNOWN) else None


def kept() -> list[Kept]:
    """All kept programs, by name."""
    return [Kept(path) for path in sorted(FOLDER.glob("*.py"))]


@pytest.fixture(scope="session")
def torch() -> Iterator[Server]:
    with server() as running:
        yield running
