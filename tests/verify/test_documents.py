"""Each bad example of a rule's document is confirmed on real torch, each good one refuted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lintgrad.catalog import load
from lintgrad.cli.parts import real_engine
from lintgrad.config import Settings
from lintgrad.diagnostics import Applicability, Confidence
from lintgrad.documents import Document, Example, load_all
from lintgrad.fixes import apply
from lintgrad.source import SourceFile, from_bytes

if TYPE_CHECKING:
    from lintgrad.verify.protocol import Request, Verdict
    from tests.verify.conftest import Asking, Child

pytestmark = pytest.mark.torch

RULES = Path(__file__).parents[2] / "rules"
DOCUMENTS = [d for d in load_all(RULES) if d.rule.oracle not in ("none", "unparsable")]
CATALOG = load()
ENGINE = real_engine(CATALOG)
CODES = [document.rule.code for document in DOCUMENTS]


def test_each_rule_has_an_oracle() -> None:
    from lintgrad.verify.child.oracles import ORACLES

    assert {d.rule.code for d in DOCUMENTS if d.rule.oracle not in ORACLES} == set()


def test_the_errors_of_rules_are_known() -> None:
    from lintgrad.verify.child.oracles.raising import TEXTS

    documented = {d.rule.code: d.raises for d in DOCUMENTS if d.rule.oracle == "raises"}
    assert set(documented) == set(TEXTS)
    for code, texts in documented.items():
        assert [
            text for text in texts if not any(text in known or known in text for known in TEXTS[code])
        ] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=CODES)
def test_bad_examples_are_confirmed(document: Document, torch_child: Child, asked: type[Asking]) -> None:
    examples = document.of("bad")
    requests = [_request(document, example, asked) for example in examples]

    for example, answer in zip(examples, torch_child.ask(*requests), strict=True):
        assert answer.verdicts, example.title
        for verdict in answer.verdicts:
            assert verdict.verdict == "confirmed", f"{example.title}: {verdict}"
            assert verdict.how == "file"
            assert any(character.isdigit() for character in verdict.evidence), verdict.evidence


@pytest.mark.parametrize("document", DOCUMENTS, ids=CODES)
def test_good_examples_are_refuted(document: Document, torch_child: Child, asked: type[Asking]) -> None:
    """Asked of every line, the oracle confirms none and refutes where there is something to refute."""
    examples = document.of("good")
    requests = [_request(document, example, asked) for example in examples]

    for example, answer in zip(examples, torch_child.ask(*requests), strict=True):
        wrong = [verdict for verdict in answer.verdicts if verdict.verdict == "confirmed"]
        assert not wrong, f"{example.title}: {wrong}"
        assert _any_refuted(answer.verdicts), f"{example.title}: {answer.verdicts}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=CODES)
def test_fixes_are_verified(document: Document, torch_child: Child, asked: type[Asking]) -> None:
    """Each fix that lintgrad would apply to a bad example takes the fault away, and brings none."""
    examples = document.of("bad")
    requests = [_with_fixes(_request(document, example, asked)) for example in examples]

    for example, request, answer in zip(examples, requests, torch_child.ask(*requests), strict=True):
        for finding, verdict in zip(request.findings, answer.verdicts, strict=True):
            expected = "verified" if finding.fixed else ""
            assert verdict.fix == expected, f"{example.title}: {verdict}"


def _with_fixes(request: Request) -> Request:
    """The request with the fixes that lintgrad has for its findings."""
    settings = Settings(frozenset(rule.code for rule in CATALOG.rules), Confidence.LIKELY)
    found = ENGINE.check_source(request.path, request.source.encode(), settings).diagnostics
    source = from_bytes(request.path, request.source.encode())
    assert isinstance(source, SourceFile)
    fixed = {
        (d.code, d.span.line): (apply(source, [d.fix]) or b"").decode()
        for d in found
        if d.fix is not None and d.fix.applicability is not Applicability.DISPLAY
    }
    findings = [replace(f, fixed=fixed.get((f.code, f.line), "")) for f in request.findings]
    return replace(request, findings=tuple(findings))


def _request(document: Document, example: Example, asked: type[Asking]) -> Request:
    program = document.program(example)
    lines = program.lines(document.rule.code, "expect", "miss")
    if example.verdict == "good":
        lines = list(range(1, program.text.count("\n") + 1))
    return asked.at(program.text, document.rule.code, document.rule.oracle, lines, seconds=30)


def _any_refuted(verdicts: tuple[Verdict, ...]) -> bool:
    return any(verdict.verdict == "refuted" for verdict in verdicts)
