"""Documents keep to the form, and fit the checks that exist."""

from __future__ import annotations

import ast
import pkgutil
import re
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import lintgrad.checks
from lintgrad.catalog import ENGINE_CODES, Catalog
from lintgrad.documents import Document

if TYPE_CHECKING:
    from tests.rules.conftest import Case

CATEGORIES = {
    "LG1": "graph",
    "LG2": "flow",
    "LG3": "step",
    "LG4": "scale",
    "LG5": "mode",
    "LG6": "loss",
    "LG9": "lintgrad",
}
CURES = ("no-", "use-", "add-", "avoid-", "prefer-", "fix-")
"""Beginnings of names that would say what to do instead of what is found."""


def test_code_name_title_and_file_agree(document: Document) -> None:
    rule = document.rule
    assert re.fullmatch(r"LG[1-9]\d\d", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name)
    assert not rule.name.startswith(CURES) or rule.name.startswith("no-grad-")
    assert rule.document == f"{rule.code}-{rule.name}.md"
    assert document.title == f"{rule.name} ({rule.code})"
    assert rule.category == CATEGORIES[rule.code[:3]]


def test_summary_is_a_clause(document: Document) -> None:
    summary = document.rule.summary
    assert re.match("[a-z]", summary)
    assert not summary.endswith(".")
    assert len(summary) <= 90


def test_front_matter_is_filled_in(document: Document) -> None:
    rule = document.rule
    assert re.fullmatch(r"\d+\.\d+\.\d+", rule.since)
    assert all(url.startswith("https://") for url in rule.references)
    assert rule.references or rule.category == "lintgrad"
    assert bool(document.raises) or rule.oracle != "raises"


def test_a_rule_without_an_oracle_says_so(document: Document) -> None:
    if document.rule.oracle == "none" and document.rule.category != "lintgrad":
        assert re.search("verifier|lintgrad verify", document.sections["Limits"])


def test_enough_examples(document: Document) -> None:
    assert len(document.of("bad")) >= 2
    assert len(document.of("good")) >= 2
    titles = [example.title for example in document.examples]
    assert len(set(titles)) == len(titles)
    assert any(example.diagnostic is not None for example in document.of("bad"))


def test_examples_are_short_programs(case: Case) -> None:
    title, code = case.example.title, case.example.code
    assert re.match("[A-Z]", title)
    assert not title.endswith(".")
    assert 2 <= code.count("\n") <= 35
    assert max(len(line) for line in code.split("\n")) <= 100
    if case.document.rule.oracle != "unparsable":
        ast.parse(case.program.text)


def test_marks_are_read_and_fit(case: Case, catalog: Catalog) -> None:
    program, code = case.program, case.document.rule.code
    assert not re.search(r"#\s*(expect|miss|noise)\b", program.text)
    assert {mark.code for mark in program.marks} <= {rule.code for rule in catalog.rules}
    faults = program.lines(code, "expect", "miss")
    assert bool(faults) == (case.example.verdict == "bad")
    if case.example.verdict == "good":
        assert {mark.kind for mark in program.marks} <= {"noise"}


def test_triggers_stand_in_each_bad_example(case: Case) -> None:
    """Else the rule would never be asked about such a file."""
    rule, text = case.document.rule, case.program.text
    if case.example.verdict == "bad":
        assert any(word in text for word in rule.libraries)
        assert not rule.triggers or any(word in text for word in rule.triggers)


@pytest.mark.parametrize("section", ["Why", "Limits"])
def test_prose_is_prose(document: Document, section: str) -> None:
    text = document.sections[section]
    assert len(text.split()) >= 20
    assert all(len(line) <= 110 for line in text.split("\n"))


def test_checks_and_documents_go_together(catalog: Catalog) -> None:
    modules = [info.name for info in pkgutil.iter_modules(lintgrad.checks.__path__)]
    checks = {name for name in modules if hasattr(import_module(f"lintgrad.checks.{name}"), "check")}

    assert checks == {rule.module for rule in catalog.rules if rule.code not in ENGINE_CODES}
