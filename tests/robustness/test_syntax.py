"""Every kind of statement and expression: a fault inside it is found, and nothing breaks."""

from __future__ import annotations

import ast

import libcst
import pytest

from tests.robustness.linting import lint
from tests.robustness.syntax_cases import CASES, PRELUDE


def parses(text: str) -> bool:
    try:
        libcst.parse_module(text)
    except libcst.ParserSyntaxError:
        return False
    return True


def known(program: str) -> bool:
    """Whether this Python's grammar is new enough for `program`."""
    try:
        ast.parse(program)
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("name", CASES)
def test_a_second_backward_is_found_in(name: str) -> None:
    program = PRELUDE + CASES[name]
    if name == "a template string" and not parses(program):
        pytest.skip("this libcst knows no template strings")
    linted = lint(program)
    marked = [(n, "LG101") for n, line in enumerate(program.splitlines(), 1) if "#!" in line]
    assert linted.result.failures == ()
    assert linted.found == marked


def test_the_cases_show_every_kind_of_node_that_this_python_knows() -> None:
    programs = [PRELUDE + text for text in CASES.values()]
    trees = [ast.parse(program) for program in programs if known(program)]
    seen = {type(node) for tree in trees for node in ast.walk(tree)}
    missing = {
        kind.__name__
        for base in (ast.stmt, ast.expr, ast.pattern)
        for kind in base.__subclasses__()
        if kind not in seen
    }
    assert missing == set()
