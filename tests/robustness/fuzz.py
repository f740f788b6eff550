"""Lints mutants until told to stop: `python -m tests.robustness.fuzz --first 0 --count 10000`.

Each fault is told once, with the kind and the number that its program is made from.
"""

from __future__ import annotations

import argparse
import faulthandler
import re
import sys
from pathlib import Path

from tests.robustness.linting import Linted, lint
from tests.robustness.text_mutations import text_mutant
from tests.robustness.tree_mutations import tree_mutant

KINDS = (("text", text_mutant), ("tree", tree_mutant))
SECONDS = 5.0
HANG = 60


def fault(linted: Linted) -> str:
    """What is wrong with how a program was linted; empty where nothing is."""
    if linted.result.failures:
        return linted.result.failures[0]
    return f"took {linted.seconds:.1f} s" if linted.seconds > SECONDS else ""


def main() -> int:
    """Lint the mutants of the numbers asked for; 1 where any had a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--save", type=Path, help="a folder for the programs with faults")
    options = parser.parse_args()
    seen: dict[str, int] = {}
    parsed = 0
    for number in range(options.first, options.first + options.count):
        for kind, mutant in KINDS:
            data = b"import torch  # backward step\n" + mutant(number)
            faulthandler.dump_traceback_later(HANG, exit=True)
            linted = lint(data, guesses=True)
            faulthandler.cancel_dump_traceback_later()
            parsed += linted.parsed
            text = fault(linted)
            place = re.sub(r"[0-9.]+ s$|^.*?\(", "", text)
            seen[place] = seen.get(place, 0) + 1
            if text and seen[place] == 1:
                sys.stdout.write(f"{kind} {number}: {text}\n")
                sys.stdout.flush()
                if options.save is not None:
                    (options.save / f"{kind}_{number}.py").write_bytes(data)
    sys.stdout.write(
        f"{2 * options.count} programs, {parsed} of them parsed, {len(seen) - ('' in seen)} faults\n"
    )
    return int(set(seen) != {""})


if __name__ == "__main__":
    sys.exit(main())
