"""The work spread over processes, the largest files first so that none is left for the end.

A file that takes its process down (out of memory, a fault in a C extension) takes the pool with it.
What was not done by then is done again one at a time, so that one file alone is named and the rest go
on.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING

from lintgrad.engine import Analysis, Engine
from lintgrad.project.discovery import LintFile
from lintgrad.project.worker import Job, Progress, Worker

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext


class _Process:
    """What a process of the pool keeps between files."""

    worker: Worker


def run_in_pool(
    worker: Worker, jobs: Sequence[Job], workers: int, progress: Progress
) -> dict[LintFile, Analysis]:
    """The result for each job's file."""
    results: dict[LintFile, Analysis] = {}
    queue = sorted(jobs, key=lambda job: (-job.size, job.file))
    with _pool(worker, workers) as pool, contextlib.suppress(BrokenProcessPool):
        futures = {pool.submit(_work, job): job for job in queue}
        for future in as_completed(futures):
            results[futures[future].file] = future.result()
            progress(len(results), len(jobs))
    left = [job for job in queue if job.file not in results]
    while left:
        _one_by_one(worker, left, results)
        left = [job for job in left if job.file not in results]
        progress(len(results), len(jobs))
    return results


def _one_by_one(worker: Worker, jobs: Sequence[Job], results: dict[LintFile, Analysis]) -> None:
    """Add the results for `jobs` up to the first that takes its process down."""
    with _pool(worker, 1) as pool:
        for job in jobs:
            result = _survived(pool, job)
            if result is None:
                failure = f"{job.file.shown}: the process that worked on it died"
                results[job.file] = Analysis(job.file.shown, failures=(failure,))
                return
            results[job.file] = result


def _survived(pool: ProcessPoolExecutor, job: Job) -> Analysis | None:
    """The result for `job`, or None when its process died."""
    try:
        return pool.submit(_work, job).result()
    except BrokenProcessPool:
        return None


@contextlib.contextmanager
def _pool(worker: Worker, workers: int) -> Iterator[ProcessPoolExecutor]:
    """A pool whose processes have the engine; on an error, what it works on is given up."""
    gc.freeze()  # what is loaded by now is never garbage, here and in a forked process
    pool = ProcessPoolExecutor(
        workers, _context(), initializer=_start, initargs=(worker.engine, worker.tree.shown)
    )
    try:
        yield pool
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        # Waited for: a pool that is still going down when the interpreter ends can complain then.
        pool.shutdown(cancel_futures=True)
        raise
    else:
        pool.shutdown()
    finally:
        gc.unfreeze()


def _context() -> BaseContext:
    """Forked processes have everything loaded; they are safe while there is but one thread."""
    if sys.platform == "linux" and threading.active_count() == 1:
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")


def _start(engine: Engine, shown: Mapping[Path, str]) -> None:
    """Set up a process of the pool."""
    # Ctrl-C goes to all processes of a terminal; these end on it without a word.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    engine.stages.prepare()
    _Process.worker = Worker(engine, shown)


def _end_with_parent() -> None:
    """End this process when the one that started it is gone: it would wait for work for ever.

    The pipe that brings the work stays open then, as each process of the pool holds its other end.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(job: Job) -> Analysis:
    return _Process.worker.lint(job)
