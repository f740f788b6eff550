"""The verdicts of real torch on what a run has found."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lintgrad.cells import Notebook
from lintgrad.cli.options import Options
from lintgrad.cli.output import say, say_warning
from lintgrad.cli.progress import ProgressBar
from lintgrad.diagnostics import Diagnostic, Verdict
from lintgrad.engine import DeepThread, Engine, FileResult, Trouble

if TYPE_CHECKING:
    from lintgrad.source import SourceFile
    from lintgrad.verify.protocol import Entry, Hello
    from lintgrad.verify.verifier import Verifier
    from lintgrad.verify.work import FileWork

_LAYERS = ("landlock", "seccomp")
"""What the sandbox cannot be without and still hold against native code."""


class Verifying:
    """Verifies what a run has found, all in one child process; `cwd` is where relative paths start."""

    def __init__(self, options: Options, engine: Engine, cwd: Path) -> None:
        """Raises `NoTorchError` or a `UsageError` where it is plain that nothing can be verified."""
        self._options = options
        self._engine = engine
        self._cwd = cwd
        self._python = _interpreter(options.python)
        self._verifier: Verifier | None = None
        self._progress = ProgressBar(sys.stderr, "files verified")
        self._told_of_sandbox = False
        self._deep: DeepThread | None = None

    def close(self) -> None:
        """End the child process."""
        if self._verifier is not None:
            self._verifier.close()

    def results(self, results: Sequence[FileResult]) -> list[FileResult]:
        """`results` with verdicts, and without what the options leave out."""
        kept = [self._on_lines(result) for result in results]
        self._warn_of_lines(kept)
        places = [place for place, result in enumerate(kept) if result.diagnostics]
        works = [self._work(kept[place]) for place in places]
        try:
            found = self._verify(works)
        finally:
            self._progress.clear()
        for place, diagnostics in zip(places, found, strict=True):
            kept[place] = replace(kept[place], diagnostics=tuple(filter(self._shown, diagnostics)))
        return kept

    def _verify(self, works: Sequence[FileWork]) -> list[tuple[Diagnostic, ...]]:
        from lintgrad.verify.verifier import Settings, Verifier

        if self._verifier is None:
            oracles = {rule.code: rule.oracle for rule in self._engine.catalog.rules}
            settings = Settings(oracles, self._python, announce=self._announce, progress=self._progress)
            self._verifier = Verifier(settings)
        found = self._verifier.verify(works)
        self._tell_of_sandbox(found)
        return found

    def _announce(self, hello: Hello) -> None:
        say(
            f"lintgrad: running the code with findings in a sandbox, on torch {hello.torch} of {self._python}"
        )

    def _tell_of_sandbox(self, found: Iterable[Iterable[Diagnostic]]) -> None:
        """Warn once where the system lacks a layer of the sandbox that holds against native code."""
        sandboxes = [d.verification.sandbox for file in found for d in file if d.verification is not None]
        held = {layer.split()[0] for sandbox in sandboxes for layer in sandbox}
        lacking = [layer for layer in _LAYERS if layer not in held]
        if any(sandboxes) and lacking and not self._told_of_sandbox:
            say_warning(f"the sandbox is weaker here, without {' and '.join(lacking)}: see docs/verify.md")
            self._told_of_sandbox = True

    def _shown(self, diagnostic: Diagnostic) -> bool:
        if not self._options.verified_only:
            return True
        verification = diagnostic.verification
        return verification is not None and verification.verdict is Verdict.CONFIRMED

    def _on_lines(self, result: FileResult) -> FileResult:
        """The result with what lies on the lines that are asked for, where some are for its file."""
        lines = {line for path, line in self._options.lines if self._same(path, result.path)}
        if not lines:
            return result
        kept = tuple(
            d for d in result.diagnostics if any(_touches(d, line, result.notebooks) for line in lines)
        )
        return replace(result, diagnostics=kept)

    def _warn_of_lines(self, results: Iterable[FileResult]) -> None:
        found = [(result, d) for result in results for d in result.diagnostics]
        for path, line in self._options.lines:
            if not any(self._same(path, r.path) and _touches(d, line, r.notebooks) for r, d in found):
                say_warning(f"{path}:{line}: there is no finding to verify")

    def _same(self, one: str, other: str) -> bool:
        return self._located(one) == self._located(other)

    def _located(self, path: str) -> str:
        return os.path.realpath(self._cwd / path)

    def _work(self, result: FileResult) -> FileWork:
        """The file as the verifier takes it."""
        from lintgrad.source import SourceFile
        from lintgrad.verify.work import FileWork

        text = result.texts.get(result.path, "")
        source = SourceFile(result.path, text.encode("utf-8", "surrogatepass"), text, "utf-8")
        if self._deep is None:
            self._deep = DeepThread()
        location = self._located(result.path)
        return FileWork(
            location=location if Path(location).is_file() else "",
            text=text,
            diagnostics=result.diagnostics,
            entries=self._deep.call(lambda: self._entries(source, result.diagnostics)),
            fixed=_fixed(source, result.diagnostics),
        )

    def _entries(self, source: SourceFile, diagnostics: Iterable[Diagnostic]) -> tuple[Entry, ...]:
        """Where a run may enter the file."""
        from lintgrad.diagnostics import Site
        from lintgrad.verify.entries import entries

        stages = self._engine.stages
        tree = stages.parse(source)
        if isinstance(tree, Trouble):
            return ()
        module = stages.lower(source.path, tree)
        sites = {function: Site(source.path, function.origin) for function in module.functions}
        spans = stages.spans(source, sites.values())
        lines = {function: spans[site].line for function, site in sites.items()}
        return entries(source.text, [d.span.line for d in diagnostics], module, lines)


def _interpreter(named: str | None) -> str:
    """The interpreter to verify with, as far as can be told without starting it."""
    if not hasattr(os, "fork"):
        from lintgrad.verify.process import ChildError

        raise ChildError("findings cannot be verified on this system: see docs/verify.md")
    if named is not None:
        found = shutil.which(named)
        if found is None:
            raise click.UsageError(f"--python: {named!r} is no program")
        return found
    if find_spec("torch") is None:
        from lintgrad.verify.process import NoTorchError

        raise NoTorchError(sys.executable)
    return sys.executable


def _fixed(source: SourceFile, diagnostics: Sequence[Diagnostic]) -> Mapping[int, str]:
    """The source with the fix of each diagnostic applied, by the diagnostic's place."""
    from lintgrad.fixes import apply

    fixed: dict[int, str] = {}
    for place, diagnostic in enumerate(diagnostics):
        data = None if diagnostic.fix is None else apply(source, [diagnostic.fix])
        if data is not None:
            fixed[place] = data.decode("utf-8", "surrogatepass")
    return fixed


def _touches(diagnostic: Diagnostic, line: int, notebooks: Mapping[str, Notebook]) -> bool:
    """Whether the finding, or a step of its path, lies on the line of the file."""
    spans = [diagnostic.span, *(note.span for note in diagnostic.notes if note.path == diagnostic.path)]
    notebook = notebooks.get(diagnostic.path)
    if notebook is not None:
        spans = [notebook.written(span) for span in spans]
    return any(span.line <= line <= span.end_line for span in spans)
