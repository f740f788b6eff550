"""The rules' documents as test cases. Torch is asked about them in tests/verify."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from lintgrad import documents
from lintgrad.catalog import Catalog, load
from lintgrad.cli.parts import real_engine
from lintgrad.config import Settings
from lintgrad.diagnostics import Confidence, Diagnostic
from lintgrad.documents import Document, Example, Program
from lintgrad.engine import FileResult


@dataclass(frozen=True)
class Case:
    """One example of one rule's document."""

    document: Document
    example: Example

    @property
    def program(self) -> Program:
        """The example with its setup."""
        return self.document.program(self.example)


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
