"""Room for deep recursion, and a collector that keeps out of the way.

Programs nest, and a machine that runs them recurses with them. The main thread's stack is what the
operating system gives; a thread's own can be chosen, so all work on files is done in one.
"""

from __future__ import annotations

import gc
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")

RECURSION_LIMIT = 20_000
STACK_SIZES = (256 << 20, 64 << 20, 16 << 20)
"""Bytes of stack to ask for, the first that the system grants is taken."""

FRAME_BYTES = 12 << 10
"""Stack that a Python frame may take at worst (before 3.11 calls recurse in C)."""


@dataclass(slots=True)
class _Job(Generic[T]):
    """A call on its way to the deep thread and back."""

    function: Callable[[], T]
    done: threading.Event = field(default_factory=threading.Event)
    result: T | None = None
    error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.function()
        except BaseException as error:  # noqa: BLE001 - handed to the thread that asked
            self.error = error


class DeepThread:
    """A thread with a big stack that runs calls for others, one at a time.

    It is a daemon: an interrupt in the main thread ends the process without waiting for it.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job[object]] = queue.SimpleQueue()
        self._limit = self._start()

    def call(self, function: Callable[[], T]) -> T:
        """What `function()` returns or raises, run in the thread."""
        job: _Job[T] = _Job(function)
        self._jobs.put(job)  # type: ignore[arg-type]  # the thread does not look at the result
        while not job.done.wait(0.2):  # in slices: some systems deliver no Ctrl-C to a thread that waits
            pass
        if job.error is not None:
            raise job.error
        return job.result  # type: ignore[return-value]  # set when there is no error

    def _start(self) -> int:
        """Start the thread and return the recursion limit that its stack allows."""
        before = threading.stack_size()
        for size in STACK_SIZES:
            threading.stack_size(size)
            thread = threading.Thread(target=self._serve, name="lintgrad", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                continue  # no room for a stack of this size
            finally:
                threading.stack_size(before)
            return min(RECURSION_LIMIT, size // FRAME_BYTES)
        threading.Thread(target=self._serve, name="lintgrad", daemon=True).start()
        return sys.getrecursionlimit()

    def _serve(self) -> None:
        while True:
            job = self._jobs.get()
            with recursion_limit(self._limit), paused_collector():
                job.run()
            job.done.set()
            del job  # else the last file's result would live until the next job comes


@contextmanager
def recursion_limit(limit: int) -> Iterator[None]:
    """Let calls nest up to `limit` inside the `with` block."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, before))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@contextmanager
def paused_collector() -> Iterator[None]:
    """No garbage collection inside the `with` block.

    A syntax tree is large and lives until its file is done, so looking through it is work for
    nothing. What was allocated meanwhile is all young, and the next collection finds it.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
