"""What IPython takes in a cell besides Python: magics, shell commands, questions.

They are no syntax of Python's, so each is replaced, on its own row, by a statement that does nothing.
A row keeps its number, and what is Python in it its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintgrad.source.syntax import is_python

_BODY_IS_PYTHON = frozenset(
    {"%%capture", "%%debug", "%%ipytest", "%%prun", "%%pypy", "%%python", "%%python3", "%%time", "%%timeit"}
)
"""Magics for a whole cell whose other rows run as Python."""

_MAGIC = re.compile(r"(?P<indent>\s*)(?:[%!?]|[^#'\"]*\?\s*$)")
_TIMED = re.compile(r"(?P<indent>\s*)%time (?=\S)")
_ASSIGNED = re.compile(r"(?P<target>\s*[^\W\d][\w.,\s]*=\s*)[%!]")
_AUTOMAGIC = re.compile(
    r"(?P<indent>\s*)(?:alias|autoreload|cat|cd|conda|config|cp|env|load|load_ext|ls|mamba|man|matplotlib"
    r"|mkdir|mv|pip|pip3|pwd|reload_ext|rm|rmdir|run|time|timeit|uv)\s+[\w\-\"'./~$].*"
)
_PIECE = re.compile(
    r"#.*|'''|\"\"\"|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[()\[\]{}]",
)
_NOTHING = "pass"
_OUTPUT = "get_ipython()"


def without_magics(rows: list[str]) -> tuple[list[str], frozenset[int]] | None:
    """The rows of a cell as Python, and which of them (from 0) are not as they were.

    None for a cell that holds something else, as a shell script or a file to be written.
    """
    if is_python("\n".join(rows)):
        return rows, frozenset()
    first = next((i for i, row in enumerate(rows) if row.strip()), 0)
    made = list(rows)
    if rows and rows[first].startswith("%%"):
        if rows[first].split()[0] not in _BODY_IS_PYTHON:
            return None
        made[first] = _NOTHING
    _replace(made)
    if not is_python("\n".join(made)):
        _replace(made, automagic=True)
    changed = frozenset(i for i, (old, new) in enumerate(zip(rows, made, strict=True)) if old != new)
    return made, changed


def _replace(rows: list[str], *, automagic: bool = False) -> None:
    """Put statements in the place of the magics in `rows`; one that ends in a backslash goes on."""
    going_on = False
    for index, beginning in enumerate(_beginnings(rows)):
        row = rows[index]
        made = "" if going_on else _statement(row, automagic=automagic) if beginning else None
        if made is not None:
            going_on = row.rstrip().endswith("\\")
            rows[index] = made
        else:
            going_on = False


def _statement(row: str, *, automagic: bool) -> str | None:
    """The statement for a row that is a magic; None for one that is Python."""
    timed = _TIMED.match(row)
    if timed is not None:
        return f"{timed['indent']}{_NOTHING}; {row[timed.end() :]}"
    assigned = _ASSIGNED.match(row)
    if assigned is not None:
        return f"{assigned['target']}{_OUTPUT}"
    magic = _MAGIC.match(row) or (_AUTOMAGIC.fullmatch(row) if automagic else None)
    return None if magic is None else f"{magic['indent']}{_NOTHING}"


def _beginnings(rows: list[str]) -> Iterator[bool]:
    """For each row, as it is when it is asked about, whether a statement may begin on it."""
    depth, quote, continued = 0, "", False
    for index in range(len(rows)):
        yield not depth and not quote and not continued
        depth, quote = _after(rows[index], depth, quote)
        continued = not quote and rows[index].endswith("\\")


def _after(row: str, depth: int, quote: str) -> tuple[int, str]:
    """How many brackets are open behind a row, and the quotes of a string that goes on behind it."""
    position = 0
    while True:
        if quote:
            end = row.find(quote, position)
            if end < 0:
                return depth, quote
            position, quote = end + len(quote), ""
        piece = _PIECE.search(row, position)
        if piece is None:
            return depth, quote
        position, text = piece.end(), piece[0]
        if text in ("'''", '"""'):
            quote = text
        elif text in "([{":
            depth += 1
        elif text in ")]}":
            depth = max(depth - 1, 0)
