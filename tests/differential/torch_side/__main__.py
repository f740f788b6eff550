"""A server that runs programs on torch: a JSON text a line on stdin, what was seen a line on stdout.

torch is imported once, and each program runs in a namespace of its own: a fork costs more than most of them.
"""

from __future__ import annotations

import gc
import json
import signal
import sys
from typing import Any

import torch
import torch._dynamo  # the first optimizer of a process would import it

from tests.differential.torch_side.watched import run

SECONDS = 10


class EndlessError(BaseException):
    """A program that does not end: one that was made smaller may have lost what ends its loop."""


def _stop(_signal: int, _frame: object) -> None:
    raise EndlessError


def answer(program: str) -> dict[str, Any]:
    """What a program shows, if it ends."""
    signal.alarm(SECONDS)
    try:
        return run(program)
    except EndlessError:
        return {"problem": "no end"}
    finally:
        signal.alarm(0)


def main() -> None:
    """Answer until stdin ends."""
    torch.set_num_threads(1)
    gc.freeze()  # each turn of a loop looks for garbage; torch's own million objects are none
    signal.signal(signal.SIGALRM, _stop)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


main()
