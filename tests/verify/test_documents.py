"""Each bad example of a rule's document is confirmed on real torch, each good one refuted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lintgrad.documents import Document, Example, load_all

if TYPE_CHECKING:
    from lintgrad.verify.protocol import Request, Verdict
    from tests.verify.conftest import Asking, Child

pytestmark = pytest.mark.torch

RULES = Path(__file__).parents[2] / "rules"
DOCUMENTS = [d for d in load_all(RULES) if d.rule.oracle not in ("none", "unparsable")]
CODES = [document.rule.code for document in DOCUMENTS]


def test_each_rule_has_an_oracle() -> None:
    from lintgrad.verify.child.oracles import ORACLES

    assert {d.rule.code for d in DOCUMENTS if d.rule.oracle not in ORACLES} == set()


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


def _request(document: Document, example: Example, asked: type[Asking]) -> Request:
    program = document.program(example)
    lines = program.lines(document.rule.code, "expect", "miss")
    if example.verdict == "good":
        lines = list(range(1, program.text.count("\n") + 1))
    return asked.at(program.text, document.rule.code, document.rule.oracle, lines, seconds=30)


def _any_refuted(verdicts: tuple[Verdict, ...]) -> bool:
    return any(verdict.verdict == "refuted" for verdict in verdicts)
