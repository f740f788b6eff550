"""The work of one `lintgrad check`: files found, linted and repaired."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lintgrad.catalog import Catalog
from lintgrad.cli.fixing import Allowed, Fixed, fix_file
from lintgrad.cli.options import Options
from lintgrad.cli.progress import ProgressBar
from lintgrad.cli.verifying import Verifying
from lintgrad.config import Config, Configs, Resolver, Settings, read
from lintgrad.engine import Engine, FileResult
from lintgrad.project.discovery import Discovery, LintFile
from lintgrad.project.runner import Runner
from lintgrad.project.worker import Worker

STDIN_NAME = "<stdin>"


@dataclass(slots=True)
class Outcome:
    """What came of a run.

    `diff` is that of all fixes, `fixed` how many were made. `stdin` is the program from standard
    input after its fixes, where it was asked for.
    """

    results: list[FileResult] = field(default_factory=list)
    diff: str = ""
    fixed: int = 0
    stdin: bytes | None = None
    failures: list[str] = field(default_factory=list)


class Session:
    """One run, its options resolved; `cwd` is the folder that relative paths start from."""

    def __init__(self, options: Options, engine: Engine, cwd: Path) -> None:
        self.options = options
        self.cwd = cwd
        self.overrides = options.overrides(cwd)
        configs = Configs(engine.catalog, _only_config(options, engine.catalog, cwd))
        self.resolver = Resolver(engine.catalog, configs, self.overrides)
        self.discovery = Discovery(self.resolver, cwd, force=options.force_exclude)
        self._worker = Worker(engine)
        self._progress = ProgressBar(sys.stderr)
        self.runner = Runner(self._worker, options.jobs, self._progress)
        self._verifying = Verifying(options, engine, cwd) if options.verifies else None

    def close(self) -> None:
        """End the processes of the run."""
        if self._verifying is not None:
            self._verifying.close()

    @property
    def base(self) -> Path:
        """The innermost folder that holds all paths of the run: its configuration is the run's."""
        paths = [os.path.normpath(self.cwd / path) for path in self._paths()]
        try:
            common = Path(os.path.commonpath(paths))
        except ValueError:  # they lie on different drives
            return self.cwd
        return common if common.is_dir() else common.parent

    def files(self) -> list[LintFile]:
        """The files of the run, sorted."""
        return self.discovery.find(self._paths())

    def lint_files(self) -> Outcome:
        """Lint, and repair where that is asked for, the files of the run."""
        work = [(file, self.resolver.settings(file.path)) for file in self.files()]
        try:
            outcome = Outcome(self.runner.run(work))
        finally:
            self._progress.clear()
        if self._verifying is not None:
            outcome.results = self._verifying.results(outcome.results)
        if self.options.fix or self.options.diff:
            self._repair(work, outcome)
        return outcome

    def lint_stdin(self, data: bytes) -> Outcome:
        """Lint, and repair where that is asked for, the program `data` from standard input."""
        name = self.options.stdin_filename
        path = self.cwd / (name or STDIN_NAME)
        if name and self.options.force_exclude and self.discovery.excluded(path, is_folder=False):
            return Outcome(stdin=data if self.options.fix else None)
        settings = self.resolver.settings(path)
        result = self.lint_bytes(name or STDIN_NAME, data, settings)
        outcome = Outcome([result])
        if self.options.fix or self.options.diff:
            fixed = fix_file(self, data, result, settings, self._allowed)
            self._take(fixed, data, outcome, 0)
            outcome.stdin = fixed.data
        return outcome

    def lint_bytes(self, shown: str, data: bytes, settings: Settings) -> FileResult:
        """The result for a file that holds `data`, verified where that is asked for."""
        result = self._worker.lint_bytes(shown, data, settings)
        return result if self._verifying is None else self._verifying.results([result])[0]

    @property
    def _allowed(self) -> Allowed:
        return Allowed(self.options.unsafe_fixes, self.options.verifies)

    def _paths(self) -> Sequence[str]:
        if "-" in self.options.paths:
            return (self.options.stdin_filename or STDIN_NAME,)
        return self.options.paths or (".",)

    def _repair(self, work: Sequence[tuple[LintFile, Settings]], outcome: Outcome) -> None:
        for index, (file, settings) in enumerate(work):
            if not self._allowed.fixes(outcome.results[index]):
                continue
            try:
                data = file.path.read_bytes()
                # Linted again: the file may have changed since, and fixes hold for these bytes alone.
                result = self.lint_bytes(file.shown, data, settings)
                fixed = fix_file(self, data, result, settings, self._allowed)
                self._write(file, data, fixed)
            except OSError as error:
                outcome.failures.append(f"{file.shown}: cannot be fixed: {error.strerror or error}")
            else:
                self._take(fixed, data, outcome, index)

        if outcome.fixed and not self.options.diff and self._verifying is None:
            # What a file was found to do through another may have been repaired there.
            outcome.results = self.runner.run(work)

    def _write(self, file: LintFile, data: bytes, fixed: Fixed) -> None:
        if self.options.diff or fixed.data == data:
            return
        from lintgrad.fixes import write_atomically

        write_atomically(file.path, fixed.data)

    def _take(self, fixed: Fixed, before: bytes, outcome: Outcome, index: int) -> None:
        """Make `fixed` the result at `index`."""
        from lintgrad.fixes import unified_diff

        outcome.fixed += fixed.count
        if fixed.count:
            outcome.results[index] = fixed.result
        outcome.diff += unified_diff(fixed.result.path, before, fixed.data)


def _only_config(options: Options, catalog: Catalog, cwd: Path) -> Config | None:
    """The configuration for all files, where the command line sets one."""
    if options.isolated:
        return Config(root=cwd)
    return None if options.config is None else read(cwd / options.config, catalog, cwd)
