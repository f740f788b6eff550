"""Takes all files of a run through the engine.

Each file's bytes are looked at here first: most files of most trees concern no rule. What is left is
worked on in this process, or spread over several when there is enough of it to pay for starting them.
The results come out in the order of the files, however they were made.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from lintgrad.config import Settings
from lintgrad.engine import Analysis, FileResult, Stats
from lintgrad.project.discovery import LintFile
from lintgrad.project.worker import Job, Progress, Worker, read, reason

POOL_FROM = 24
"""Files to work on from which several processes are faster than one."""

FILES_PER_PROCESS = 8


def no_progress(done: int, total: int) -> None:
    """Tell nobody."""


class Runner:
    """Runs a worker's engine over files, in `jobs` processes or in as many as pay."""

    def __init__(self, worker: Worker, jobs: int | None = None, progress: Progress = no_progress) -> None:
        self._worker = worker
        self._jobs = jobs
        self._progress = progress
        self.gate_seconds = 0.0

    def run(self, files: Sequence[tuple[LintFile, Settings]]) -> list[FileResult]:
        """The results for `files`, in their order."""
        analyses: dict[str, Analysis] = {}
        pending: list[Job] = []
        self._worker.names({file.path: file.shown for file, _ in files})
        begin = time.perf_counter()
        for file, settings in files:
            outcome = self._look(file, settings)
            if isinstance(outcome, Analysis):
                analyses[file.shown] = outcome
            else:
                pending.append(outcome)
        self.gate_seconds = time.perf_counter() - begin
        analyses |= {file.shown: found for file, found in self._work(pending).items()}
        by_path = {file.shown: settings for file, settings in files}
        results = self._worker.engine.conclude(analyses, by_path)
        return [results[file.shown] for file, _ in files]

    def _look(self, file: LintFile, settings: Settings) -> Analysis | Job:
        """What there is to say of a file that is gated out or cannot be read, else the work to be done."""
        engine = self._worker.engine
        try:
            data = read(file.path)
        except OSError as error:
            return engine.unreadable(file.shown, reason(error), settings)
        if engine.concerns(file.shown, data, settings, self._worker.tree):
            return Job(file, settings, len(data))
        return Analysis(file.shown, stats=Stats(gated=True))

    def _work(self, jobs: Sequence[Job]) -> dict[LintFile, Analysis]:
        workers = self._workers(len(jobs))
        if workers > 1:
            from lintgrad.project.pool import run_in_pool  # 30 ms that most runs need not pay

            self._worker.engine.stages.prepare()
            return run_in_pool(self._worker, jobs, workers, self._progress)
        results: dict[LintFile, Analysis] = {}
        for done, job in enumerate(jobs, 1):
            results[job.file] = self._worker.lint(job)
            self._progress(done, len(jobs))
        return results

    def _workers(self, files: int) -> int:
        """How many processes to work in; 1 means this one."""
        if self._jobs is not None:
            return min(self._jobs, files)
        if files < POOL_FROM:
            return 1
        return min(_processors(), files // FILES_PER_PROCESS)


def _processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
