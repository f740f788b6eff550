"""The rules' documents as test cases, and torch to ask about them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lintgrad import documents
from lintgrad.catalog import Catalog, load
from lintgrad.cli.parts import real_engine
from lintgrad.config import Settings
from lintgrad.diagnostics import Confidence, Diagnostic
from lintgrad.documents import Document, Example, Program
from lintgrad.engine import FileResult

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Case:
    """One example of one rule's document."""

    document: Document
    example: Example

    @property
    def program(self) -> Program:
        """The example with its setup."""
        return self.document.program(self.example)

    @property
    def claims(self) -> dict[str, list[int]]:
        """The lines for the oracles that want to know where to look."""
        program = self.program
        return {
            "graph-growth": program.lines("LG106", "expect", "miss"),
            "overwritten": program.lines("LG110", "expect", "miss"),
        }


@dataclass(frozen=True)
class Answer:
    """What torch showed: the error that ended the program (line, text), and each oracle's lines.

    `stack` are the lines that the error came through, calls of helpers included.
    """

    error: tuple[int, str] | None
    stack: list[int]
    observed: dict[str, list[int]]

    def lines(self, document: Document, marked: Sequence[int]) -> list[int]:
        """The lines where the fault of the document's rule was seen.

        Where a helper that is right elsewhere raises, its caller may be marked instead.
        """
        seen = self._seen(document)
        blamed = [line for line in marked if line in self.stack]
        return blamed if self.error is not None and seen == [self.error[0]] and blamed else seen

    def _seen(self, document: Document) -> list[int]:
        """As `lines`. An error has one cause: one that another rule's oracle knows of is that rule's."""
        oracle = document.rule.oracle
        if oracle != "raises":
            return self.observed.get(oracle, [])
        if self.error is None or not any(text in self.error[1] for text in document.raises):
            return []
        return [] if self.error[0] in self.observed["carried-graph"] else [self.error[0]]


class NotJudgedError(Exception):
    """A program that the server has no answer for: it hung, or its runs contradict each other."""


class Torch:
    """The server in `truth/`, which runs programs on torch."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._answers: dict[str, Answer] = {}

    def ask(
        self, program: str, claims: Mapping[str, Sequence[int]] | None = None, timeout: float = 30
    ) -> Answer:
        """What `program` shows; `claims` are lines that an oracle shall look at closer (see oracles.py).

        Raises `NotJudgedError` where it cannot be said.
        """
        question = json.dumps({"program": program, "claims": dict(claims or {}), "timeout": timeout})
        if question not in self._answers:
            answer = self._exchange(question)
            if "problem" in answer:
                raise NotJudgedError(answer["problem"])
            error = answer["error"] and (answer["error"][0], answer["error"][1])
            self._answers[question] = Answer(error, answer["stack"], answer["observed"])
        return self._answers[question]

    def _exchange(self, question: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{question}\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@pytest.fixture(scope="session")
def torch_truth() -> Iterator[Torch]:
    command = [sys.executable, "-m", "tests.rules.truth"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Torch(process)


PATH = "example.py"


class Linter:
    """lintgrad with all rules on."""

    def __init__(self, catalog: Catalog) -> None:
        self._engine = real_engine(catalog)
        self._settings = Settings(frozenset(rule.code for rule in catalog.rules), Confidence.LIKELY)
        self._results: dict[bytes, FileResult] = {}

    def lint(self, program: bytes) -> FileResult:
        """The result for `program`; lintgrad itself must not fail on it."""
        if program not in self._results:
            self._results[program] = self._engine.check_source(PATH, program, self._settings)
        result = self._results[program]
        assert result.failures == ()
        return result

    def diagnostics(self, case: Case) -> tuple[Diagnostic, ...]:
        """What is reported of an example."""
        return self.lint(case.program.text.encode()).diagnostics


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load()


@pytest.fixture(scope="session")
def all_documents(catalog: Catalog) -> list[Document]:
    return documents.load_all(catalog.folder)


@pytest.fixture(scope="session")
def linter(catalog: Catalog) -> Linter:
    return Linter(catalog)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with a parameter `document` runs for each document, one with `case` for each example."""
    if not {"document", "case"} & set(metafunc.fixturenames):
        return
    everything = documents.load_all(load().folder)
    if "document" in metafunc.fixturenames:
        metafunc.parametrize("document", everything, ids=[d.rule.code for d in everything])
    if "case" in metafunc.fixturenames:
        cases = [Case(document, example) for document in everything for example in document.examples]
        ids = [f"{case.document.rule.code}: {case.example.title}" for case in cases]
        metafunc.parametrize("case", cases, ids=ids)
