"""What real torch shows of a program."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

KINDS = {
    "second": "a second time",
    "version": "modified by an inplace operation",
    "graphless": "does not require grad and does not have a grad_fn",
    "nonscalar": "grad can be implicitly created only for scalar outputs",
    "leaf": "a leaf Variable that requires grad is being used in an in-place operation",
    "leaf view": "a view of a leaf Variable that requires grad is being used in an in-place operation",
}


class NotJudgedError(Exception):
    """A program that says nothing: it hung, or it raised what no rule is about."""


@dataclass(frozen=True)
class Error:
    """The exception that ended a program: its kind (of `KINDS`), its line, the lines that it came through.

    `early` when the loops around were in turns that the machine runs, too (see `is_early`).
    """

    kind: str
    line: int
    stack: tuple[int, ...]
    early: bool = True


@dataclass(frozen=True)
class Torch:
    """What was seen until the end or the first exception.

    `steps` are (line, `good` or `stale` or `lost` or `empty`, whether it was early); `walks` are backwards:
    (line, whether in a loop, whether a graph that it kept was needed). `turns` and `least_turns` are those
    of the longest and the shortest loop that ran, the last time.
    """

    error: Error | None
    carried: frozenset[int]
    doubled: frozenset[int]
    steps: tuple[tuple[int, str, bool], ...]
    walks: tuple[tuple[int, bool, bool], ...]
    growth: int
    turns: int
    least_turns: int


class Server:
    """The process that runs programs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, program: str) -> Torch:
        """What `program` shows. Raises `NotJudgedError` where that is nothing."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(program) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        if "problem" in answer:
            raise NotJudgedError(answer["problem"])
        return Torch(
            _error(answer),
            frozenset(answer["carried"]),
            frozenset(answer["doubled"]),
            tuple((line, what, early) for line, what, early in answer["steps"]),
            tuple((line, looped, needed) for line, looped, needed in answer["walks"]),
            answer["growth"],
            answer["turns"],
            answer["least turns"],
        )


def _error(answer: dict[str, Any]) -> Error | None:
    if answer["error"] is None:
        return None
    line, text = answer["error"]
    for kind, words in KINDS.items():
        if words in text:
            return Error(kind.split()[0], line, tuple(answer["stack"]), answer["early"])
    raise NotJudgedError(text)


@contextmanager
def server() -> Iterator[Server]:
    """A running server."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.differential.torch_side"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Server(process)
