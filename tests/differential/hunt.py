"""Looks for disagreements in many programs: `python -m tests.differential.hunt COUNT SEED`.

The programs are random, and each kind of disagreement is told once, with its program made as small as can be.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from tests.differential.comparing import Disagreement, disagreements
from tests.differential.programs import program
from tests.differential.reducing import reduced
from tests.differential.torch_seen import NotJudgedError, Server, server


class Hunt:
    """The programs run so far and what they showed."""

    def __init__(self, torch: Server) -> None:
        self.torch = torch
        self.counts = Counter[str]()
        self.found: dict[str, list[str]] = {}
        self.ends = Counter[str]()

    def look(self, text: str) -> None:
        """Compare one program."""
        self.counts["programs"] += 1
        try:
            different = disagreements(text, self.torch)
        except NotJudgedError as problem:
            self.counts["not judged"] += 1
            self.ends[str(problem)[:70]] += 1
            return
        except Exception as problem:  # noqa: BLE001 - a crash is found, too
            self.counts["crashed"] += 1
            self.found.setdefault(f"crash {type(problem).__name__}: {problem}", []).append(text)
            return
        if different:
            self.counts["disagreeing"] += 1
        for what in {one.what for one in different}:
            self.found.setdefault(what, []).append(text)

    def smallest(self, what: str) -> str:
        """The smallest program with this disagreement, made smaller still."""
        return reduced(min(self.found[what], key=len), lambda text: self._has(text, what))

    def _has(self, program: str, what: str) -> bool:
        try:
            return any(one.what == what for one in self._different(program))
        except NotJudgedError:
            return False
        except Exception as problem:  # noqa: BLE001 - as above
            return f"crash {type(problem).__name__}: {problem}" == what

    def _different(self, program: str) -> list[Disagreement]:
        return disagreements(program, self.torch)


def main(count: int, number: int) -> None:
    """Run, tell."""
    with server() as torch:
        hunt = Hunt(torch)

        dice = random.Random(number)
        for _ in range(count):
            hunt.look(program(dice.randint))
        tell = sys.stdout.write
        tell(f"{dict(hunt.counts)}\n")
        for text, times in hunt.ends.most_common(12):
            tell(f"    {times}  {text}\n")
        for what, texts in sorted(hunt.found.items(), key=lambda pair: -len(pair[1])):
            tell(f"\n### {what}: {len(texts)}\n{hunt.smallest(what)}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
