"""Each example does on torch what its marks say, and nothing else that a rule is about."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from lintgrad.documents import Document

if TYPE_CHECKING:
    from tests.rules.conftest import Case, Torch

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each program runs in a fork")


def test_on_torch(case: Case, torch_truth: Torch, all_documents: list[Document]) -> None:
    oracle = case.document.rule.oracle
    if oracle == "unparsable":
        check_syntax(case)
    elif oracle == "none" and case.document.rule.category == "scale":
        pytest.skip("a framework is needed")
    elif oracle == "none":
        assert torch_truth.ask(case.program.text).error is None
    else:
        check_behaviour(case, torch_truth, all_documents)


def check_behaviour(case: Case, torch_truth: Torch, all_documents: list[Document]) -> None:
    program = case.program
    answer = torch_truth.ask(program.text, case.claims)
    # Rules that this harness has no oracle for are judged by the verifier's (tests/verify).
    judged = [d for d in all_documents if d.rule.oracle in ("raises", *answer.observed)]
    marked = {d.rule.code: program.lines(d.rule.code, "expect", "miss") for d in judged}
    seen = {d.rule.code: answer.lines(d, marked[d.rule.code]) for d in judged}

    assert seen == marked, answer.error
    if answer.error is not None:
        errors = [d for d in judged if d.raises or d.rule.oracle == "carried-graph"]
        assert any(seen[d.rule.code] for d in errors), f"no rule explains {answer.error}"


def check_syntax(case: Case) -> None:
    assert syntax_error_lines(case.program.text) == case.program.lines("LG902", "expect", "miss")


def syntax_error_lines(program: str) -> list[int | None]:
    """The line at which Python itself stops reading, if it does."""
    try:
        compile(program, "<example>", "exec")
    except SyntaxError as error:
        return [error.lineno]
    return []
