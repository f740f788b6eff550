"""The real engine, in this process: what the tests here lint with."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache

from lintgrad.catalog import load
from lintgrad.cli.parts import real_engine
from lintgrad.config import Settings
from lintgrad.diagnostics import Confidence
from lintgrad.engine import DeepThread, Engine, FileResult

SYNTAX_ERROR = "LG902"


@dataclass(frozen=True, slots=True)
class Linted:
    """What came of a file, and the seconds of processor time that it took."""

    result: FileResult
    seconds: float

    @property
    def found(self) -> list[tuple[int, str]]:
        """The line and the code of each finding."""
        return [(d.span.line, d.code) for d in self.result.diagnostics]

    @property
    def parsed(self) -> bool:
        """Whether the file is a program."""
        return not any(code == SYNTAX_ERROR for _, code in self.found)


@cache
def engine() -> Engine:
    """The engine with all rules."""
    made = real_engine(load())
    made.stages.prepare()
    return made


@cache
def settings() -> Settings:
    """All rules, and findings that are likely: what users see."""
    return Settings(frozenset(rule.code for rule in engine().catalog.rules))


@cache
def _thread() -> DeepThread:
    return DeepThread()


def lint(program: str | bytes, *, guesses: bool = False) -> Linted:
    """Lint `program`; with `guesses`, show what is but possible, too."""
    data = program.encode("utf-8", errors="surrogatepass") if isinstance(program, str) else program
    every = replace(settings(), confidence=Confidence.POSSIBLE) if guesses else settings()
    begin = time.process_time()
    result = _thread().call(lambda: engine().check_source("program.py", data, every))
    return Linted(result, time.process_time() - begin)
