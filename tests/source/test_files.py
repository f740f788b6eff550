"""From bytes to text, or to the reason why not."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintgrad.source import MAX_BYTES, Problem, SourceFile, from_bytes, load, parse


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("é".encode(), "é", "utf-8"),
        (codecs.BOM_UTF8 + b"a", "a", "utf-8-sig"),
        (codecs.BOM_UTF8 + b"# coding: utf-8\na", "# coding: utf-8\na", "utf-8-sig"),
        (b"# -*- coding: latin-1 -*- \xe9", "# -*- coding: latin-1 -*- é", "iso8859-1"),
        (b"#!/usr/bin/python\r\n# vim: fileencoding=cp1252\r\n'\x80'", None, "cp1252"),
        (b"\n# coding: latin-1\n", None, "iso8859-1"),
        (b"x = 1\n# coding: latin-1\n", None, "utf-8"),
        (b"'''\n# coding: latin-1'''\n", None, "utf-8"),
    ],
)
def test_text_is_decoded_as_python_does(data: bytes, text: str | None, encoding: str) -> None:
    source = from_bytes("a.py", data)
    assert isinstance(source, SourceFile)
    assert source.encoding == encoding
    assert text is None or source.text == text
    assert source.text.encode(encoding) == data


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        (b"a\nb\0c", 2, 2, "the file holds null bytes, so it is no Python program"),
        ("a = 'é\n' + '".encode() + b"\xff'", 2, 6, "the file is not utf-8: invalid start byte"),
        (codecs.BOM_UTF8 + b"a\xff", 1, 2, "the file is not utf-8-sig: invalid start byte"),
        (b"\n# coding: nope\n", 2, 1, "the file cannot be decoded: there is no encoding 'nope'"),
        (b"# coding: ascii\n\xe9", 2, 1, "the file is not ascii: ordinal not in range(128)"),
        (
            codecs.BOM_UTF8 + b"# coding: latin-1",
            1,
            1,
            "the file begins with the mark of utf-8, but declares 'latin-1'",
        ),
        (b" " * (MAX_BYTES + 1), 1, 1, "the file is larger than 4 MB (4,000,001 bytes)"),
    ],
)
def test_what_is_no_text_has_a_place_and_a_reason(data: bytes, line: int, column: int, message: str) -> None:
    assert from_bytes("a.py", data) == Problem("a.py", line, column, message)


@pytest.mark.parametrize("name", ["rot13", "hex", "unicode_escape", "utf-7", "idna", "raw_unicode_escape"])
def test_odd_encodings_do_no_harm(name: str) -> None:
    assert from_bytes("a.py", f"# coding: {name}\n'\\ud800'\n".encode()) is not None


def test_a_file_that_vanished_is_a_problem(tmp_path: Path) -> None:
    path = str(tmp_path / "gone.py")
    assert load(path) == Problem(path, 1, 1, "the file cannot be read: no such file or directory")


def test_a_folder_is_a_problem(tmp_path: Path) -> None:
    assert isinstance(load(str(tmp_path)), Problem)


def test_a_large_file_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "large.py"
    with path.open("wb") as file:
        file.truncate(9_000_000)
    assert load(str(path)) == Problem(str(path), 1, 1, "the file is larger than 4 MB (9,000,000 bytes)")


def test_a_file_is_loaded_with_its_path_as_given(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"a = 1\r\n")
    source = load(str(path))
    assert isinstance(source, SourceFile)
    assert (source.path, source.data, source.newline) == (str(path), b"a = 1\r\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "newline"),
    [("", "\n"), ("a", "\n"), ("a\nb\r\nc\r\n", "\r\n"), ("a\rb", "\r"), ("a\nb\r\n", "\n")],
)
def test_the_newline_is_that_of_most_lines(text: str, newline: str) -> None:
    source = from_bytes("a.py", text.encode())
    assert isinstance(source, SourceFile)
    assert source.newline == newline


@given(st.binary(max_size=200))
def test_any_bytes_are_read_and_parsed_or_refused(data: bytes) -> None:
    source = from_bytes("a.py", data)
    if isinstance(source, SourceFile):
        assert source.text.encode(source.encoding) == data
        assert parse(source) is parse(source)


@given(st.text(alphabet="a=()[]:\n\r\t\f \\\"'#{}fé😀if", max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    source = from_bytes("a.py", text.encode())
    assert isinstance(source, SourceFile)
    tree = parse(source)
    if isinstance(tree, Problem):
        assert tree.message
        assert 1 <= tree.line <= source.lines.count
        assert tree.column >= 1
