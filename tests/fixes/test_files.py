"""Writing files whole or not at all, and diffs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lintgrad.fixes import unified_diff, write_atomically

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@posix
def test_the_mode_stays(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(0o751)
    write_atomically(file, b"new")
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o7777 == 0o751
    assert _names(tmp_path) == ["a.py"]


@posix
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    file = tmp_path / "real" / "a.py"
    file.write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to(Path("real") / "a.py")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert _names(file.parent) == ["a.py"]


def test_nothing_is_left_behind_where_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")

    def refuse(*_paths: object) -> None:
        raise PermissionError("no")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert _names(tmp_path) == ["a.py"]


def test_a_folder_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "gone" / "a.py", b"new")


def test_a_diff_has_both_names() -> None:
    assert unified_diff("src/a.py", b"a\nb\n", b"a\nc\n") == (
        "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    )


def test_a_diff_says_where_no_line_end_is() -> None:
    assert unified_diff("/a.py", b"a", b"b\n") == (
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
    )


def test_a_diff_reads_the_files_encoding() -> None:
    before, after = b"# coding: latin-1\r\n'\xe9'\r\n", b"# coding: latin-1\r\n'\xe8'\r\n"
    assert unified_diff("a.py", before, after).splitlines(keepends=True)[-2:] == [
        "-'\xe9'\r\n",
        "+'\xe8'\r\n",
    ]


def test_the_same_bytes_have_no_diff() -> None:
    assert unified_diff("a.py", b"a\n", b"a\n") == ""
