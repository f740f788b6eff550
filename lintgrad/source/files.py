"""Reading a file: from a path or bytes to decoded text, or to the reason why not."""

from __future__ import annotations

import codecs
import io
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lintgrad.source.lines import Lines

if TYPE_CHECKING:
    import ast

    import libcst

    from lintgrad.cells import Notebook
    from lintgrad.source.positions import Positions

MAX_BYTES = 4_000_000
MAX_NOTEBOOK_BYTES = 40_000_000
"""Most of a notebook is what its cells have put out: pictures, tables."""
NOTEBOOK = ".ipynb"
_HEAD = 4_000
_DECLARATION = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#|$)")
_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file cannot be analysed, and where in it; line and column are 1-based."""

    path: str
    line: int
    column: int
    message: str


@dataclass(eq=False)
class SourceFile:
    """A readable file.

    `text` has no byte order mark; `encoding` is such that `text.encode(encoding)` gives `data` again
    (`utf-8-sig` where there is a mark). What is found out about the file later is kept in it.

    Of a notebook, `data` is the JSON and `text` the program that its cells make, of which `notebook` says
    where it stands in the file; `problems` are cells that are no Python and are left out of the program,
    in lines of it.
    """

    path: str
    data: bytes
    text: str
    encoding: str
    tree: ast.Module | libcst.Module | Problem | None = field(default=None, repr=False)
    concrete: libcst.Module | Problem | None = field(default=None, repr=False)
    counterparts: dict[object, object] | None = field(default=None, repr=False)
    positions: Positions | None = field(default=None, repr=False)
    notebook: Notebook | None = None
    problems: tuple[Problem, ...] = ()

    @cached_property
    def newline(self) -> str:
        r"""The line end that most lines have: `\n` (where there is none, too), `\r\n` or `\r`."""
        found = _NEWLINE.findall(self.text)
        return max(("\n", "\r\n", "\r"), key=found.count)

    @cached_property
    def lines(self) -> Lines:
        """Where the lines of the text begin."""
        return Lines(self.text)


def load(path: str) -> SourceFile | Problem:
    """Read the file at `path`."""
    try:
        with Path(path).open("rb") as file:
            limit = _limit(path)
            data = file.read(limit + 1)
            size = len(data) if len(data) <= limit else max(len(data), _size(file))
    except OSError as error:
        return Problem(path, 1, 1, f"the file cannot be read: {(error.strerror or str(error)).lower()}")
    return _too_large(path, size) if size > limit else from_bytes(path, data)


def from_bytes(path: str, data: bytes) -> SourceFile | Problem:
    """Decode `data`, the content of the file at `path`, as Python would; of a notebook, join the cells."""
    if len(data) > _limit(path):
        return _too_large(path, len(data))
    if path.endswith(NOTEBOOK):
        from lintgrad.source.notebooks import read_notebook  # it builds on this module

        return read_notebook(path, data)
    zero = data.find(b"\0")
    if zero >= 0:
        line, column = _place(data, zero, "latin-1")
        return Problem(path, line, column, "the file holds null bytes, so it is no Python program")
    declared = _declared(data)
    marked = data.startswith(codecs.BOM_UTF8)
    if declared is None:
        return _decoded(path, data, "utf-8-sig" if marked else "utf-8")
    line, name = declared
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        return Problem(path, line, 1, f"the file cannot be decoded: there is no encoding {name!r}")
    if marked and encoding != "utf-8":
        return Problem(path, line, 1, f"the file begins with the mark of utf-8, but declares {name!r}")
    return _decoded(path, data, "utf-8-sig" if marked else encoding)


def _declared(data: bytes) -> tuple[int, str] | None:
    """The line and the name of the encoding that a comment in the first two lines declares."""
    head = data[:_HEAD].removeprefix(codecs.BOM_UTF8)
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", head, maxsplit=2)[:2], start=1):
        found = _DECLARATION.match(line)
        if found is not None:
            return number, found[1].decode("ascii")
        if not _BLANK.match(line):
            return None
    return None


def _decoded(path: str, data: bytes, encoding: str) -> SourceFile | Problem:
    try:
        text = data.decode(encoding)
        text.encode("utf-8")  # lone surrogates, which some encodings let through, cannot be parsed
    except UnicodeDecodeError as error:
        start = error.start + (len(codecs.BOM_UTF8) if encoding == "utf-8-sig" else 0)
        line, column = _place(data, start, encoding)
        return Problem(path, line, column, f"the file is not {encoding}: {error.reason}")
    except (LookupError, ValueError) as error:
        return Problem(path, 1, 1, f"the file cannot be decoded: {error}")
    return SourceFile(path, data, text, encoding)


def _place(data: bytes, offset: int, encoding: str) -> tuple[int, int]:
    """The line and column of a byte, what stands before it being decoded as well as it can be."""
    before = data[:offset].decode(encoding, errors="replace")
    return Lines(before).place(len(before))


def _size(file: io.BufferedReader) -> int:
    return file.seek(0, io.SEEK_END) if file.seekable() else 0


def _too_large(path: str, size: int) -> Problem:
    limit = _limit(path) // 1_000_000
    return Problem(path, 1, 1, f"the file is larger than {limit} MB ({size:,} bytes)")


def _limit(path: str) -> int:
    return MAX_NOTEBOOK_BYTES if path.endswith(NOTEBOOK) else MAX_BYTES
