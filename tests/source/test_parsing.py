"""Syntax errors, and programs that would overflow the parser's stack."""

from __future__ import annotations

import ast
import subprocess
import sys
import warnings

import libcst as cst
import pytest

from lintgrad.diagnostics import Span
from lintgrad.lowering import lower
from lintgrad.source import Problem, SourceFile, concrete_tree, from_bytes, parse, parses, spans


def _parsed(text: str) -> object:
    source = from_bytes("a.py", text.encode())
    assert isinstance(source, SourceFile)
    return parse(source)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("x = (\n", 1, 5, "'(' was never closed"),
        ("'é😀', )\n", 1, 7, "unmatched ')'"),
        ("def f():\nx\n", 2, 1, "expected an indented block after function definition on line 1"),
        ("a = 1\nb = $\n", 2, 5, "invalid syntax"),
        ("a b\r\n", 1, 3, "invalid syntax"),
        ("if a:\n\tb\n        c\n", 3, 1, "inconsistent use of tabs and spaces in indentation"),
    ],
)
def test_a_syntax_error_has_its_place_in_code_points(text: str, line: int, column: int, message: str) -> None:
    problem = _parsed(text)
    assert isinstance(problem, Problem)
    assert (problem.line, problem.message) == (line, message)
    if sys.version_info[:2] == (3, 11):  # other versions may place the caret elsewhere
        assert problem.column == column


def test_what_libcst_refuses_without_a_reason_of_pythons_has_its_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_text: str) -> cst.Module:
        raise cst.ParserSyntaxError("error at 3:9: expected =", lines=[], raw_line=1, raw_column=0)

    monkeypatch.setattr(cst, "parse_module", refuse)
    source = from_bytes("a.py", b"a = 1\nif a:\n    b = int\n")
    assert isinstance(source, SourceFile)
    assert concrete_tree(source) == Problem("a.py", 3, 9, "this syntax is not understood")
    assert isinstance(parse(source), ast.Module)


def test_a_program_that_python_parses_needs_no_libcst(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cst, "parse_module", None)
    assert isinstance(
        _parsed("async def f[T](a): pass\n" if sys.version_info >= (3, 12) else "a\n"), ast.Module
    )


@pytest.mark.parametrize(
    "refusal", [SyntaxError("a newer syntax"), RecursionError(), MemoryError(), ValueError("too many digits")]
)
def test_what_this_python_cannot_parse_libcst_may(
    refusal: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_text: str) -> ast.Module:
        raise refusal

    monkeypatch.setattr(ast, "parse", refuse)
    source = from_bytes("a.py", b"a = b\n")
    assert isinstance(source, SourceFile)
    tree = parse(source)
    assert isinstance(tree, cst.Module)
    assert tree is concrete_tree(source)
    assert parses(source.text)
    statement = lower("a.py", tree).body[0]
    assert spans(source, [statement.origin]) == {id(statement.origin): Span(1, 1, 1, 6)}


def test_explaining_an_error_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(_parsed("'\\d'\n1 is 1\n(\n"), Problem)


def test_whether_text_parses() -> None:
    assert parses("a = 1\n")
    assert not parses("a =\n")
    assert not parses("(" * 300 + ")" * 300)


_DEEP = {
    "brackets": "(" * 5000 + "a" + ")" * 5000,
    "lists": "x = " + "[" * 300 + "]" * 300,
    "calls": "f(" * 5000 + "a" + ")" * 5000,
    "open": "(" * 50_000,
    "signs": "-" * 20_000 + "a",
    "nots": "not " * 20_000 + "a",
    "sums": "a" + "+a" * 20_000,
    "sums over lines": "(a" + "\n+a" * 20_000 + ")",
    "continued sums": "a" + "\\\n+a" * 20_000,
    "methods": "a" + ".b()" * 20_000,
    "called results": "a" + "()" * 20_000,
    "lambdas": "lambda: " * 20_000 + "a",
    "choices": "a if b else " * 20_000 + "a",
    "ors": "a or " * 20_000 + "a",
    "format specifications": 'f"' + "{a:" * 20_000 + "}" * 20_000 + '"',
    "brackets in a format string": 'f"{' + "(" * 5000 + "a" + ")" * 5000 + '}"',
    "comprehension": "[a " + "for a in b " * 20_000 + "]",
    "elifs": "if a:\n b\n" + "elif a:\n b\n" * 20_000,
    "pattern": "match x:\n case " + "[" * 30 + "a" + "]" * 30 + ":\n  pass",
    "mapping pattern": "match x:\n case " + "{1: " * 15 + "a" + "}" * 15 + ":\n  pass",
    "powers between brackets": "(" * 150 + "a" + "**a" * 20_000 + ")" * 150,
    "blocks": "".join(" " * depth + "if a:\n" for depth in range(500)) + " " * 500 + "a",
}


def test_nothing_overflows_the_parsers_stack() -> None:
    """In a process of its own: the failure would be its end."""
    script = (
        "import sys, ast\n"
        "from lintgrad.source import Problem, from_bytes, parse\n"
        "programs = ast.literal_eval(sys.stdin.read())\n"
        "print([name for name, text in programs.items()\n"
        "       if not isinstance(parse(from_bytes(name, text.encode())), Problem)])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        input=repr(_DEEP),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "[]\n", "")


@pytest.mark.parametrize(
    "text",
    [
        "x = [" + "-1.5 + 2 * 3, " * 1000 + "]",
        "x = [\n" + "    {'a': -1, 'b': (2, 3)},\n" * 500 + "]",
        "s = '" + "(" * 1000 + "'",
        "# " + "(" * 1000 + "\nx = 1",
        'f"""' + "a {b} {{c}}\n" * 1000 + '"""',
        "if a:\n b\nelif c:\n d\n" * 1001,
        "a" + " + a" * 1000,
        "".join(f"x{i} = a.b.c(d) + e[f]\n" for i in range(1000)),
        "match x:\n case [[1, {2: (A(b), c)}], *_]:\n  f(((((((((((((1)))))))))))))",
    ],
    ids=range(9),
)
def test_what_is_large_but_not_deep_is_parsed(text: str) -> None:
    assert not isinstance(_parsed(text), Problem)
