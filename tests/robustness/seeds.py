"""Real programs, from which wrong ones are made: the project's own, and those of the installed torch."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tests.robustness import syntax_cases, trainer_cases

ROOT = Path(__file__).parents[2]
LARGEST = 20_000
"""Characters of a seed: larger ones tell no more and take longer."""


def _files() -> Iterator[Path]:
    for folder in ("fixtures", "examples"):
        yield from sorted((ROOT / folder).rglob("*.py"))
    torch = find_spec("torch")  # found, not imported
    if torch is not None and torch.origin is not None:
        home = Path(torch.origin).parent
        for folder in (
            "optim",
            "nn/modules",
            "nn/utils",
            "utils/data",
            "autograd",
            "amp",
            "distributed/optim",
        ):
            yield from sorted((home / folder).glob("*.py"))


@cache
def seeds() -> tuple[str, ...]:
    """The programs that others are made of."""
    texts = [path.read_text("utf-8") for path in _files()]
    cases = [syntax_cases.PRELUDE + text for text in syntax_cases.CASES.values()]
    cases += [trainer_cases.PRELUDE + text for text in trainer_cases.CASES.values()]
    return tuple(text for text in (*texts, *cases) if len(text) <= LARGEST)
