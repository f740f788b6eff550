"""A run in a process of its own: a fork of one that has torch and runs nothing itself."""

from __future__ import annotations

import os
import select
import shutil
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from lintgrad.verify.child import limits
from lintgrad.verify.child.confine import close_descriptors
from lintgrad.verify.child.confine.system import LINUX, die_with_parent, prctl
from lintgrad.verify.child.record import Record
from lintgrad.verify.child.run import Plan, perform
from lintgrad.verify.child.standins.entering import run_entry

_SET_SUBREAPER = 36
_GRACE = 0.5
"""Seconds that a run gets beyond its own, to write down what it saw."""


class RunFailedError(Exception):
    """A run that left no record."""


def _perform(plan: Plan, folder: str) -> Record:
    return perform(plan, folder) if plan.entry is None else perform(plan, folder, run_entry)


def forked(plan: Plan, run: Callable[[Plan, str], Record] = _perform) -> Record:
    """What `plan` shows when it runs in a fork, which is killed when its time is up.

    Raises `RunFailedError` where it left nothing, and `SyntaxError` where it is no program.
    """
    folder = limits.folder()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _be_the_run(plan, folder, writer, run)
    os.close(writer)
    try:
        text = _read(reader, plan.seconds + _GRACE)
    finally:
        os.close(reader)
        status = _end(pid)
        shutil.rmtree(folder, ignore_errors=True)
    if not text:
        raise RunFailedError(_cause(status))
    if text.startswith(b"!"):
        raise RunFailedError(text[1:].decode(errors="replace"))
    return Record.load(text)


def adopts() -> None:
    """Have this process become the parent of what its runs leave behind, so that `_end` finds it (Linux)."""
    if LINUX:
        prctl(_SET_SUBREAPER, 1)


def _be_the_run(plan: Plan, folder: str, writer: int, run: Callable[[Plan, str], Record]) -> None:
    """In the fork: run, write, and leave without the parent's cleaning up."""
    try:
        die_with_parent()
        close_descriptors(keep=(writer,))  # else the program could write answers of its own
        text = run(plan, folder).dump()
    except SyntaxError as error:
        text = f"!the program cannot be parsed: {error}".encode()
    except BaseException as problem:  # noqa: BLE001 - it is reported to the parent
        last = traceback.extract_tb(problem.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        text = f"!the verifier failed: {type(problem).__name__}: {problem} ({where})".encode()
    try:
        limits.quiet()
        text += b"\n"
        while text:
            text = text[os.write(writer, text) :]
    finally:
        os._exit(0)


def _read(reader: int, seconds: float) -> bytes:
    """All that the run writes, or nothing when it is not done in time."""
    deadline = time.monotonic() + seconds
    parts = list[bytes]()
    while (left := deadline - time.monotonic()) > 0:
        if select.select([reader], [], [], left)[0]:
            part = os.read(reader, 1 << 16)
            if not part:
                return b""
            parts.append(part)
            if part.endswith(
                b"\n"
            ):  # not the end of the file: a process that it left behind may hold that up
                return b"".join(parts)[:-1]
    return b""


def _end(pid: int) -> int:
    """Kill the run and all that it left behind; the run's status."""
    done, status = os.waitpid(pid, os.WNOHANG)
    if not done:
        time.sleep(0.01)  # it has written and is leaving, more often than not
        done, status = os.waitpid(pid, os.WNOHANG)
    if not done:
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    while orphans := _children():
        for orphan in orphans:
            os.kill(orphan, signal.SIGKILL)
            os.waitpid(orphan, 0)
    return status


def _children() -> list[int]:
    listing = Path(f"/proc/self/task/{os.getpid()}/children")
    return [int(child) for child in listing.read_text(encoding="ascii").split()] if listing.exists() else []


def _cause(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return "out of budget: the run used up its processor time"
        if number == signal.SIGKILL:
            return "out of budget: the run did not end in its time"
        return f"could not run: the process was ended by signal {signal.Signals(number).name}"
    return "could not run: the process ended itself without an answer"
