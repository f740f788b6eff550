"""How time and memory grow with what there is to lint, and what the worst programs cost.

    python benchmarks/growth.py [LINES...]

A folder of training files is made for each number of lines (1,000 to 200,000 where none is given), from
the clean fixtures, each file with a number of its own in it. `lintgrad check` then runs on it in one
process with nothing cached. Time and memory per line are to stay within 1.3 times of each other, what a run
costs that lints one line being taken off. Then the worst cases: each is to end within 2 seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from lintgrad.catalog import load

FIXTURES = Path(__file__).parents[1] / "fixtures" / "clean"
LINES = (1_000, 5_000, 20_000, 50_000, 200_000)
_WAIT = "import os, sys; _, status, used = os.wait4(os.spawnv(os.P_NOWAIT, sys.executable, sys.argv[1:]), 0)"


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of the processor and megabytes at the peak of one run."""

    seconds: float
    megabytes: float


def measure(folder: Path) -> Cost:
    """The cost of linting all of `folder`; the run gets a parent of its own, which sees only its memory."""
    program = f"{_WAIT}; print(used.ru_utime + used.ru_stime, used.ru_maxrss)"
    command = [
        "python",
        "-m",
        "lintgrad",
        "check",
        "--no-cache",
        "--jobs",
        "1",
        "--format",
        "concise",
        str(folder),
    ]
    with Path(os.devnull).open("w") as nothing:
        done = subprocess.run(
            [sys.executable, "-c", program, *command],
            text=True,
            stdout=subprocess.PIPE,
            stderr=nothing,
            check=True,
        )
    seconds, kilobytes = done.stdout.split()[-2:]
    return Cost(float(seconds), float(kilobytes) / 1024)


def fill(folder: Path, lines: int) -> int:
    """Write training files of about so many lines; how many lines they have."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(FIXTURES.glob("*.py"))]
    written = 0
    for number, text in enumerate(cycle(sources)):
        if written >= lines:
            return written
        (folder / f"train_{number}.py").write_text(f"# {number}\n{text}", encoding="utf-8")
        written += text.count("\n") + 1
    return written


def growth(wanted: tuple[int, ...]) -> None:
    """Print the table of growth."""
    with tempfile.TemporaryDirectory() as folder:
        text = f"import torch\nloss.backward()  # {' '.join(_words())}\n"
        (Path(folder) / "train.py").write_text(text, encoding="utf-8")
        measure(Path(folder))  # the first run may have modules to compile
        start = measure(Path(folder))
    print(f"start: {start.seconds:.2f} s, {start.megabytes:.0f} MB\n")
    print("| lines | seconds | µs a line | MB | KB a line |\n|---:|---:|---:|---:|---:|")
    for number in wanted:
        with tempfile.TemporaryDirectory() as folder:
            lines = fill(Path(folder), number)
            cost = measure(Path(folder))
        time = (cost.seconds - start.seconds) / lines * 1e6
        memory = (cost.megabytes - start.megabytes) / lines * 1024
        print(f"| {lines:,} | {cost.seconds:.2f} | {time:.0f} | {cost.megabytes:.0f} | {memory:.2f} |")


def _words() -> Iterator[str]:
    """What makes a file concern every rule, so that every check is loaded."""
    for rule in load().rules:
        yield from (*rule.libraries[:1], *rule.triggers[:1])


# --- the worst cases ------------------------------------------------------------------------------

_HEAD = """\
import torch
from torch import nn

net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
"""
_STEP = "{0}opt.zero_grad()\n{0}loss = net(x).mean()\n{0}loss.backward()\n{0}opt.step()\n"


def _branches() -> Iterator[str]:
    yield "def train(flags, x):\n    loss = net(x).mean()\n"
    for number in range(50):
        yield f"    if flags.f{number}:\n        loss = loss + net(x).mean()\n"
        yield "        loss.backward()\n        opt.step()\n"
    yield "    loss.backward()\n    opt.step()\n"


def _loops() -> Iterator[str]:
    for depth in range(8):
        yield f"{'    ' * depth}for x in loader{depth}:\n"
    yield _STEP.format("    " * 8)


def _recursion() -> Iterator[str]:
    for one, other in ("ab", "ba"):
        yield f"def {one}(x, depth):\n    if depth:\n"
        yield f"        return {other}(net(x), depth - 1) + {one}(x, depth)\n"
        yield _STEP.format("    ") + "    return loss\n"
    yield "a(torch.ones(1), 9)\n"


def _methods() -> Iterator[str]:
    yield "class Trainer:\n    def __init__(self, opt):\n        self.opt = opt\n"
    for number in range(2000):
        yield f"    def step_{number}(self, x):\n" + _STEP.format("        ")
        yield f"        return self.step_{(number * 7 + 1) % 2000}(loss)\n"


WORST: dict[str, Callable[[], Iterator[str]]] = {
    "50 branches in one function": _branches,
    "8 nested loops": _loops,
    "mutual recursion": _recursion,
    "2,000 methods in a class": _methods,
}


def worst() -> None:
    """Print what the worst cases cost beyond the start of a run."""
    print("\n| worst case | lines | seconds |\n|---|---:|---:|")
    for name, parts in WORST.items():
        text = _HEAD + "".join(parts())
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "train.py").write_text(text, encoding="utf-8")
            cost = measure(Path(folder))
        print(f"| {name} | {text.count(chr(10)):,} | {cost.seconds:.2f} |")


if __name__ == "__main__":
    growth(tuple(map(int, sys.argv[1:])) or LINES)
    worst()
