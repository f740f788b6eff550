"""How long verifying a file's findings takes once the child process is there.

    python benchmarks/verify_cost.py [--rounds N] [PATH...]

Each file with findings is linted; then the time to verify all its findings is taken, from the finished
lint to the verdicts, with all runs that this takes. Starting the child, which imports torch, is shown by
itself: a run of lintgrad pays it once. Printed are medians over the files, for all of them and for the
longest quarter, and the slowest files. The goal is a median below a second
for a stand-alone file of 100 lines.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lintgrad.cli.check import command
from lintgrad.cli.options import Options
from lintgrad.cli.parts import Parts
from lintgrad.cli.verifying import Verifying
from lintgrad.config import Settings
from lintgrad.engine import FileResult
from lintgrad.project.worker import Worker

FIXTURES = Path(__file__).parents[1] / "fixtures" / "bad"

WARM_UP = b"import torch\nx = torch.ones(3, requires_grad=True)\n(x * 2).backward()\n"


@dataclass(frozen=True, slots=True)
class Cost:
    """A file, how long it is, how many findings it has, and the seconds they took."""

    path: str
    lines: int
    findings: int
    seconds: float


def python_files(paths: Iterable[Path]) -> list[Path]:
    """The files named, and all Python files in the folders named."""
    return sorted({file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])})


def measure(
    files: Sequence[Path], worker: Worker, settings: Settings, rounds: int
) -> tuple[float, list[Cost], Counter[str]]:
    """Seconds to the first verdict, the cost of each file, and how many verdicts of each kind there were.

    Each round has a verifier of its own, since one asked the same again only looks it up.
    """
    options = Options(**command.make_context("check", ["--verify"]).params)
    seconds: dict[Path, list[float]] = {}
    starts: list[float] = []
    results: dict[Path, FileResult] = {}
    for _ in range(rounds):
        verifying = Verifying(options, worker.engine, Path.cwd())
        try:
            begin = time.perf_counter()
            verifying.results([worker.lint_bytes("warm_up.py", WARM_UP, settings)])
            starts.append(time.perf_counter() - begin)
            for file in files:
                result = worker.lint_bytes(str(file), file.read_bytes(), settings)
                if result.diagnostics:
                    begin = time.perf_counter()
                    [results[file]] = verifying.results([result])
                    seconds.setdefault(file, []).append(time.perf_counter() - begin)
        finally:
            verifying.close()
    costs = [
        Cost(
            str(file),
            file.read_bytes().count(b"\n"),
            len(results[file].diagnostics),
            statistics.median(taken),
        )
        for file, taken in seconds.items()
    ]
    verdicts = Counter(
        d.verification.verdict.value for r in results.values() for d in r.diagnostics if d.verification
    )
    return statistics.median(starts), costs, verdicts


def show(title: str, costs: Sequence[Cost]) -> None:
    """Print the medians of some files."""
    taken = sorted(cost.seconds for cost in costs)
    lines = [cost.lines for cost in costs]
    print(f"{title}: {len(costs)} files of {min(lines)} to {max(lines)} lines")
    print(f"  a file     median {statistics.median(taken):.2f} s, slowest {taken[-1]:.2f} s")
    each = [cost.seconds / cost.findings for cost in costs]
    print(f"  a finding  median {statistics.median(each):.2f} s")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Take the time that verifying takes.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", default=[FIXTURES])
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    parts = Parts()
    catalog = parts.load_catalog()
    worker = Worker(parts.make_engine(catalog))
    settings = Settings(frozenset(rule.code for rule in catalog.rules if not rule.preview))
    start, costs, verdicts = measure(python_files(arguments.paths), worker, settings, arguments.rounds)
    if not costs:
        parser.error("no file with findings")
    print(f"from nothing to the first verdict: {start:.1f} s")
    show("all", costs)
    longest = sorted(costs, key=lambda cost: cost.lines)[-max(1, len(costs) // 4) :]
    show("the longest quarter", longest)
    print("verdicts:", ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    for cost in sorted(costs, key=lambda cost: -cost.seconds)[:5]:
        print(f"  {cost.seconds:6.2f} s  {cost.lines:4} lines  {cost.findings} findings  {cost.path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
