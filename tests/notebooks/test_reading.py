"""From the JSON of a notebook to its program, and back to the lines of the file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintgrad.source import Problem, SourceFile, from_bytes
from lintgrad.source.files import MAX_NOTEBOOK_BYTES
from tests.notebooks.conftest import code, document, listed, text

PATH = "train.ipynb"


def read(data: bytes | dict[str, Any], indent: int | None = 1) -> SourceFile:
    source = from_bytes(PATH, data if isinstance(data, bytes) else json.dumps(data, indent=indent).encode())
    assert isinstance(source, SourceFile)
    return source


def problem(data: bytes) -> Problem:
    found = from_bytes(PATH, data)
    assert isinstance(found, Problem)
    return found


def test_cells_are_joined_and_text_is_left_out() -> None:
    source = read(document(text("x = "), code(["a = 1\n", "b = 2"]), text(""), code("c = 3\n")))
    assert source.text == "a = 1\nb = 2\nc = 3\n"
    assert source.notebook is not None
    assert [(cell.number, cell.first, cell.end) for cell in source.notebook.cells] == [(2, 1, 3), (4, 3, 4)]


@pytest.mark.parametrize("minor", range(6))
def test_each_minor_format(minor: int) -> None:
    more = {"id": "a-name"} if minor >= 5 else {}
    source = read(document(code("a = 1", **more), minor=minor))
    assert source.text == "a = 1\n"
    assert source.notebook is not None
    assert source.notebook.cells[0].id == more.get("id", "")


def test_a_row_is_found_in_the_file() -> None:
    data = json.dumps(document(text("t"), code(["a = 1\n", "b = 2\n", "c = 'é'"])), indent=1)
    source = read(data.encode())
    assert source.notebook is not None
    lines = data.split("\n")
    for row, written in enumerate(['"a = 1\\n"', '"b = 2\\n"', "\"c = '\\u00e9'\""], start=1):
        span = source.notebook.written(source.lines.span(*_row(source.text, row)))
        assert lines[span.line - 1][span.column - 1 : span.end_column - 1] == written


def _row(program: str, row: int) -> tuple[int, int]:
    rows = program.split("\n")
    start = sum(len(one) + 1 for one in rows[: row - 1])
    return start, start + len(rows[row - 1])


def test_a_notebook_on_one_line() -> None:
    source = read(document(code(["a = 1\n", "b = 2"])), indent=None)
    assert source.notebook is not None
    assert {string.line for string in source.notebook.cells[0].strings} == {1}


@given(st.lists(st.text(alphabet="ab=1 \n\r\x0c\"'\\\u2028é😀#", max_size=12), min_size=1, max_size=4))
def test_rows_and_strings_go_together(strings: list[str]) -> None:
    source = read(document(code(strings)))
    if source.notebook is not None:
        assert source.notebook.cells[-1].end == source.text.count("\n") + 1


def test_a_cell_that_is_no_python_is_a_problem_of_its_own() -> None:
    source = read(document(code("a = 1"), code("b = 2\nc = = 3\n"), code("d = 4")))
    assert source.text == "a = 1\n\n\nd = 4\n"
    assert [(p.line, p.column) for p in source.problems] == [(3, 5)]
    assert source.notebook is not None
    assert source.notebook.cell(3).number == 2


@pytest.mark.parametrize("cell", ["a\0 = 1", "a = '\ud800'", "(" * 500])
def test_a_cell_that_no_parser_takes(cell: str) -> None:
    source = read(document(code(cell), code("b = 2")))
    assert source.text == "\nb = 2\n"
    assert len(source.problems) == 1


def test_other_languages_are_left_out() -> None:
    marked = code("SELECT 1", metadata={"vscode": {"languageId": "sql"}})
    assert read(document(marked, code("a = 1"))).text == "a = 1\n"
    assert read(document(code("a <- 1"), kernelspec={"language": "R"})).text == ""
    assert read(document(code("a <- 1"), kernelspec={}, language_info={"name": "R"})).text == ""


@pytest.mark.parametrize("metadata", [{}, {"kernelspec": None}, {"kernelspec": {"language": 3}}])
def test_python_is_what_a_notebook_is_in_without_a_word(metadata: dict[str, Any]) -> None:
    data = {"cells": [code("a = 1")], "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}
    assert read(data).text == "a = 1\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expecting value"),
        (b"{", "expecting property name"),
        (b"[]", "it has no list of cells"),
        (b'{"worksheets": []}', "it has the format of IPython 2"),
        (b'{"cells": {}}', "it has no list of cells"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"cells": ' + b"1" * 5000 + b"}", "Exceeds the limit"),
        (b"{}\xff", "the file is not utf-8"),
    ],
)
def test_what_is_no_notebook(data: bytes, message: str) -> None:
    assert message in problem(data).message


def test_the_place_of_broken_json() -> None:
    found = problem(b'{"cells": [\n  1,,\n]}')
    assert (found.line, found.column) == (2, 5)


@pytest.mark.parametrize(
    "cell",
    [1, None, [], {}, {"cell_type": "code"}, {"cell_type": "code", "source": 3}, code(["a", 3])],  # type: ignore[list-item]
)
def test_cells_that_are_none_are_passed_over(cell: object) -> None:
    data = {"cells": [cell, code("b = 2")], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    assert read(data).text == "b = 2\n"


def test_an_empty_notebook() -> None:
    source = read(document())
    assert (source.text, source.notebook) == ("", None)
    assert read(document(code([]), code(""))).text == ""


def test_a_mark_in_front() -> None:
    source = read(b"\xef\xbb\xbf" + json.dumps(document(code("a = 1"))).encode())
    assert (source.text, source.encoding) == ("a = 1\n", "utf-8-sig")


def test_it_may_be_larger_than_a_program() -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 5_000_000}, "metadata": {}}
    assert read(document(code("a = 1", outputs=[picture]))).text == "a = 1\n"
    assert "larger than 40 MB" in problem(b" " * (MAX_NOTEBOOK_BYTES + 1)).message


def test_what_is_shown_below_a_cell() -> None:
    source = read(document(code(listed("a = 1\nf('é', b)")), code("b = 2"), code("if a:\n    f(a)")))
    assert source.notebook is not None
    shown = [cell.shown for cell in source.notebook.cells]
    assert shown[1:] == [None, None]
    assert shown[0] is not None
    assert (shown[0].line, shown[0].column, shown[0].end_column) == (2, 1, 10)
