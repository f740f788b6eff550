"""Showing what a change is."""

from __future__ import annotations

import difflib
import io
from pathlib import Path

from lintgrad.source import SourceFile, from_bytes
from lintgrad.source.files import NOTEBOOK
from lintgrad.source.notebooks import raw_cells


def unified_diff(path: str, before: bytes, after: bytes) -> str:
    r"""The change from `before` to `after` as `diff -u` shows it; empty where there is none.

    Each line of the diff ends with `\n`; a carriage return that a line of the file ends with stays. Of a
    notebook, the cells are compared, not the JSON.
    """
    name = Path(path).as_posix().lstrip("/")
    if not path.endswith(NOTEBOOK):
        return _diff(name, _lines(path, before), _lines(path, after))
    old, new = ({cell.number: cell.text for cell in raw_cells(data)[1]} for data in (before, after))
    return "".join(
        _diff(f"{name}:cell {number}", _split(old.get(number, "")), _split(new.get(number, "")))
        for number in sorted(old.keys() | new.keys())
    )


def _diff(name: str, before: list[str], after: list[str]) -> str:
    lines = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(path: str, data: bytes) -> list[str]:
    source = from_bytes(path, data)
    return _split(source.text if isinstance(source, SourceFile) else data.decode("utf-8", errors="replace"))


def _split(text: str) -> list[str]:
    return io.StringIO(text, newline="\n").readlines()
