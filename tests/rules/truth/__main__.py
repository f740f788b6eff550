"""A server that runs programs on torch: a question a line on stdin, an answer a line on stdout.

A question is `{"program": text, "claims": {oracle: lines}, "timeout": seconds}`. An answer is `{"error":
[line, text] or null, "stack": lines that the error came through, "observed": {oracle: lines}}`, or
`{"problem": text}` where the program could not be judged. torch is imported once; each run is a fork of
this process, which runs nothing itself.
"""

from __future__ import annotations

import gc
import json
import os
import select
import sys
from functools import partial
from typing import Any

import torch
import torch._dynamo  # the first optimizer of a process would import it: seconds in each fork

from tests.rules.truth import child
from tests.rules.truth.oracles import DisagreementError, Facts, Observer


class RunFailedError(Exception):
    """A run that gave no facts."""


def forked(program: str, timeout: float, *, steps: bool = True) -> Facts:
    """`child.run` in a process of its own, killed after `timeout` seconds of silence."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _answer(writer, program, steps=steps)
    os.close(writer)
    try:
        text = _read(reader, timeout)
    except TimeoutError:
        os.kill(pid, 9)
        raise RunFailedError(f"no end after {timeout:g} s") from None
    finally:
        os.close(reader)
        os.waitpid(pid, 0)
    if not text:
        raise RunFailedError("the process ended without an answer; see stderr")
    facts: Facts = json.loads(text)
    return facts


def _answer(writer: int, program: str, *, steps: bool) -> None:
    """In the fork: run, write, and leave without the parent's cleaning up."""
    status = 1
    try:
        with os.fdopen(writer, "w") as stream:
            json.dump(child.run(program, steps=steps), stream)
        status = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        raise
    finally:
        sys.stderr.flush()
        os._exit(status)


def _read(reader: int, timeout: float) -> bytes:
    parts = list[bytes]()
    while select.select([reader], [], [], timeout)[0]:
        part = os.read(reader, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)
    raise TimeoutError


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """What one program shows."""
    try:
        observer = Observer(question["program"], partial(forked, timeout=question["timeout"]))
        observed = observer.observe(question["claims"])
        return {**{key: observer.facts[key] for key in ("error", "stack")}, "observed": observed}
    except (RunFailedError, DisagreementError) as problem:
        return {"problem": str(problem)}


def main() -> None:
    """Answer until stdin ends."""
    torch.set_num_threads(1)
    gc.freeze()  # each run looks for garbage often; torch's own million objects are none
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


main()
