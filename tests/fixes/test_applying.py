"""Edits applied to bytes: what they do not name stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintgrad.diagnostics import Applicability, Edit, Fix, Span
from lintgrad.fixes import apply
from lintgrad.fixes.edits import Change, changed, overlap
from lintgrad.source import SourceFile, from_bytes


def _read(data: bytes) -> SourceFile:
    source = from_bytes("a.py", data)
    assert isinstance(source, SourceFile)
    return source


def _fix(*edits: tuple[int, int, int, int, str]) -> Fix:
    return Fix("t", Applicability.SAFE, tuple(Edit(Span(*edit[:4]), edit[4]) for edit in edits))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nc = 2\r\n"),
        (b"a = 1\nb = 2\r\n\r", b"a = 1\nc = 2\r\n\r"),
        (b"\xef\xbb\xbfa = 1\nb = 2", b"\xef\xbb\xbfa = 1\nc = 2"),
        (b"# coding: latin-1 \xe9\nb = '\xe9'", b"# coding: latin-1 \xe9\nc = '\xe9'"),
        (b"a = 1 \t\x0c\nb\t=  2 ;\n\n\n", b"a = 1 \t\x0c\nc\t=  2 ;\n\n\n"),
    ],
)
def test_all_other_bytes_stay(before: bytes, after: bytes) -> None:
    assert apply(_read(before), [_fix((2, 1, 2, 2, "c"))]) == after


def test_columns_count_code_points() -> None:
    source = _read("'😀é' ; x\n".encode())
    assert apply(source, [_fix((1, 8, 1, 9, "y"))]) == "'😀é' ; y\n".encode()


def test_a_fix_that_touches_an_earlier_one_is_skipped() -> None:
    source = _read(b"a\nb\nc\n")
    first = _fix((1, 1, 1, 2, "x"), (3, 1, 3, 2, "z"))
    assert apply(source, [first, _fix((2, 1, 2, 2, "y"), (3, 1, 3, 2, "w"))]) == b"x\nb\nz\n"
    assert apply(source, [_fix((2, 1, 2, 1, "x=")), _fix((2, 1, 2, 1, "x="))]) == b"a\nx=b\nc\n"


def test_no_fix_is_no_change() -> None:
    assert apply(_read(b"a\n"), []) == b"a\n"


def test_a_result_that_does_not_parse_is_refused() -> None:
    assert apply(_read(b"a\n"), [_fix((1, 2, 1, 2, " ="))]) is None


def test_text_that_the_encoding_lacks_is_refused() -> None:
    source = _read(b"# coding: latin-1\na\n")
    assert apply(source, [_fix((2, 1, 2, 2, "'\u20ac'"))]) is None


def test_a_line_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="no line 7"):
        apply(_read(b"a\n"), [_fix((7, 1, 7, 1, "b"))])


_CHANGES = st.lists(
    st.builds(Change, st.integers(0, 5), st.integers(5, 9), st.text("xy", max_size=2)), max_size=1
)


@given(st.text(alphabet="abc\n", min_size=9, max_size=20), _CHANGES)
def test_text_around_a_change_stays(text: str, changes: list[Change]) -> None:
    after = changed(text, changes)
    for change in changes:
        assert after == text[: change.start] + change.text + text[change.end :]
    if not changes:
        assert after == text


def test_what_overlaps() -> None:
    assert not overlap([Change(3, 4, "a"), Change(0, 3, "b"), Change(4, 4, "c")])
    assert not overlap([Change(3, 3, "before"), Change(3, 5, "")])
    assert overlap([Change(3, 3, "twice"), Change(3, 3, "twice")])
    assert overlap([Change(0, 5, ""), Change(4, 4, "inside")])
