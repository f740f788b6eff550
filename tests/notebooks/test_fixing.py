"""Fixes of notebooks: the sources of cells change, and not a byte else."""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintgrad.diagnostics import Applicability, Edit, Fix, Span
from lintgrad.fixes import apply, unified_diff
from lintgrad.source import SourceFile, from_bytes
from tests.notebooks.conftest import code, document, listed, text

PATH = "train.ipynb"


def fixed(data: bytes, *edits: tuple[Span, str]) -> bytes | None:
    source = from_bytes(PATH, data)
    assert isinstance(source, SourceFile)
    fix = Fix("", Applicability.SAFE, tuple(Edit(span, text) for span, text in edits))
    return apply(source, [fix])


def cells(data: bytes | None) -> list[Any]:
    assert data is not None
    return [cell["source"] for cell in json.loads(data.decode("utf-8-sig"))["cells"]]


def written(notebook: dict[str, Any], **how: Any) -> bytes:
    return json.dumps(notebook, **how).encode()


INSERT = (Span(2, 2, 2, 2), "2")
REMOVE = (Span(2, 1, 3, 1), "")


@pytest.mark.parametrize("how", [{"indent": 1}, {"indent": 4}, {}, {"separators": (",", ":")}])
def test_a_changed_line(how: dict[str, Any]) -> None:
    before = document(text("t"), code(["a = 1\n", "b = 3\n", "c = 4"]), code("d = 5"))
    data = fixed(written(before, **how), INSERT)
    after = document(text("t"), code(["a = 1\n", "b2 = 3\n", "c = 4"]), code("d = 5"))
    assert data == written(after, **how)


@pytest.mark.parametrize("how", [{"indent": 1}, {}])
def test_a_removed_line(how: dict[str, Any]) -> None:
    data = fixed(written(document(code(["a = 1\n", "b = 3\n", "c = 4"])), **how), REMOVE)
    assert data == written(document(code(["a = 1\n", "c = 4"])), **how)


def test_the_last_line_is_removed() -> None:
    data = fixed(written(document(code(["a = 1\n", "b = 3"]), code("c = 4")), indent=1), REMOVE)
    assert cells(data) == [["a = 1"], "c = 4"]


def test_the_only_line_of_a_list_grows() -> None:
    data = fixed(written(document(code(["a = 1"])), indent=1), (Span(1, 1, 1, 1), "b = 2\n"))
    assert data == written(document(code(["b = 2\n", "a = 1"])), indent=1)


def test_a_source_that_is_one_string() -> None:
    data = fixed(written(document(code("a = 1\nb = 3\nc = 4"))), INSERT)
    assert cells(data) == ["a = 1\nb2 = 3\nc = 4"]


def test_all_else_keeps_its_bytes() -> None:
    """Escapes that nobody would write, numbers, blanks, line ends, a mark: what is not the source stays."""
    data = codecs.BOM_UTF8 + (
        b'{ "nbformat":4,"x":1.50e+1 , "\\u0063ells":\t[\r\n {"cell_type":"code","source":["\\u0061 = 1\\n",'
        b'\r\n   "b = 3\\n"  ,"\\/"],"outputs":["\\ud83d\\ude00","\xc3\xa9"]}, {}]}\r\n\r\n'
    ).replace(b'"\\/"', b'"c = 4 # \\/"')
    expected = data.replace(b'"b = 3\\n"', b'"b2 = 3\\n"').replace(b'"b2 = 3\\n"  ,', b'"b2 = 3\\n",\r\n   ')
    assert fixed(data, INSERT) == expected


@pytest.mark.parametrize("plain", [True, False])
def test_letters_are_written_as_the_file_writes_them(plain: bool) -> None:
    before = document(code(["a = 'é😀'\n", "b = 'é😀'"]))
    data = fixed(written(before, ensure_ascii=plain, indent=1), INSERT)
    after = document(code(["a = 'é😀'\n", "b2 = 'é😀'"]))
    assert data == written(after, ensure_ascii=plain, indent=1)


def test_a_cell_with_carriage_returns() -> None:
    data = fixed(written(document(code("a = 1\r\nb = 3\r\n"))), (Span(1, 1, 1, 1), "z = 0\n"))
    assert cells(data) == ["z = 0\r\na = 1\r\nb = 3\r\n"]


def test_magics_are_not_touched() -> None:
    before = written(document(code(["%matplotlib inline\n", "b = 3\n", "!ls\n", "c = 4"])), indent=1)
    assert cells(fixed(before, INSERT)) == [["%matplotlib inline\n", "b2 = 3\n", "!ls\n", "c = 4"]]
    assert fixed(before, (Span(1, 1, 2, 1), "")) is None
    assert fixed(before, (Span(2, 1, 4, 1), "")) is None


def test_no_fix_goes_from_cell_to_cell() -> None:
    before = written(document(code("a = 1\nb = 3"), code("c = 4")))
    assert fixed(before, (Span(2, 1, 3, 6), "")) is None


def test_fixes_in_two_cells() -> None:
    before = written(document(code(["a = 1\n", "b = 3"]), code("c = 4")))
    assert cells(fixed(before, INSERT, (Span(3, 1, 3, 2), "d"))) == [["a = 1\n", "b2 = 3"], "d = 4"]


@given(
    st.lists(
        st.sampled_from(["a = 1", "b = 2", "", "c = '''", "'''", "# é", "f(a)"]), min_size=1, max_size=6
    ),
    st.booleans(),
    st.integers(0, 6),
    st.sampled_from(["", "x = 1\n", "x = 1\ny = 2\n"]),
    st.integers(0, 2),
)
def test_it_is_the_program_that_was_asked_for(
    rows: Sequence[str], whole: bool, row: int, inserted: str, removed: int
) -> None:
    source = "\n".join(rows)
    data = written(document(code(source if whole else listed(source)), code("z = 0")), indent=1)
    read = from_bytes(PATH, data)
    assert isinstance(read, SourceFile)
    if read.problems or read.notebook is None:
        return
    last = read.notebook.cells[0].end
    begin = min(row + 1, last - 1)
    changed = fixed(data, (Span(begin, 1, min(begin + removed, last), 1), inserted))
    lines = read.text.splitlines(keepends=True)
    lines[begin - 1 : min(begin + removed, last) - 1] = [inserted]
    if changed is not None:
        after = from_bytes(PATH, changed)
        assert isinstance(after, SourceFile)
        assert after.text.replace("\n", "") == "".join(lines).replace("\n", "")


def test_the_difference_is_shown_by_cell() -> None:
    before = written(document(text("t"), code(["a = 1\n", "b = 3"]), code("c = 4")))
    after = fixed(before, INSERT)
    assert after is not None
    assert unified_diff(PATH, before, before) == ""
    assert unified_diff(f"/{PATH}", before, after) == (
        "--- a/train.ipynb:cell 2\n+++ b/train.ipynb:cell 2\n@@ -1,2 +1,2 @@\n a = 1\n-b = 3\n"
        "\\ No newline at end of file\n+b2 = 3\n\\ No newline at end of file\n"
    )
