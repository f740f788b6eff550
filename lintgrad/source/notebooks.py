"""Jupyter notebooks: from the JSON of nbformat 4 to one program, and where its rows stand in the file."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from json.decoder import py_scanstring  # type: ignore[attr-defined]  # typeshed leaves it out
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import TypeGuard

from lintgrad.cells import Cell, Notebook
from lintgrad.diagnostics import Span
from lintgrad.source.files import Problem, SourceFile
from lintgrad.source.lines import Lines
from lintgrad.source.magics import without_magics
from lintgrad.source.syntax import first_error, is_python, last_expression

_ROW_END = re.compile(r"\r\n|\r|\n")
_NOT_READ = "the notebook cannot be read"
_PYTHON = frozenset({"python", "ipython"})
_OLDEST = 4


class SourceString(str):
    """A string of a JSON text, and the offsets between which it is written there, quotes included."""

    __slots__ = ("end", "start")
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RawCell:
    """A code cell as the file has it: the strings that its source is the joined text of.

    `number` counts all cells from 1; `listed` says whether the file has them as a list.
    """

    number: int
    id: str
    strings: tuple[SourceString, ...]
    listed: bool

    @property
    def text(self) -> str:
        """The cell's source."""
        return "".join(self.strings)


def read_notebook(path: str, data: bytes) -> SourceFile | Problem:
    """The notebook at `path` as one program; a cell that is no Python is a problem of it.

    A notebook in another language is a program without a row.
    """
    found = _document(path, data)
    if isinstance(found, Problem):
        return found
    text, document = found
    encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        return Problem(path, 1, 1, f"{_NOT_READ}: {_reason(document)}")
    return _Program(path, Lines(text)).source(data, encoding, _code_cells(document))


def raw_cells(data: bytes) -> tuple[str, list[RawCell]]:
    """The JSON text of a notebook and its code cells; none of a file that is no notebook."""
    found = _document("", data)
    if isinstance(found, Problem) or not isinstance(found[1], dict) or "cells" not in found[1]:
        return "", []
    return found[0], list(_code_cells(found[1]))


class _Decoder(json.JSONDecoder):
    """Decodes JSON with strings that know where they stand."""

    def __init__(self) -> None:
        super().__init__(strict=False)
        self.parse_string = _located
        self.scan_once = py_make_scanner(self)


def _located(text: str, begin: int, strict: bool = True) -> tuple[SourceString, int]:
    value, end = py_scanstring(text, begin, strict)
    string = SourceString(value)
    string.start, string.end = begin - 1, end
    return string, end


def _document(path: str, data: bytes) -> tuple[str, object] | Problem:
    """The text of a JSON file, without a byte order mark, and what it says."""
    try:
        text = data.decode("utf-8-sig")
        return text, _Decoder().decode(text)
    except UnicodeDecodeError as error:
        before = Lines(data[: error.start].decode("utf-8", errors="replace"))
        return Problem(path, before.count, 1, f"the file is not utf-8: {error.reason}")
    except json.JSONDecodeError as error:
        what = error.msg[:1].lower() + error.msg[1:]
        return Problem(path, error.lineno, error.colno, f"{_NOT_READ}: {what}")
    except RecursionError:
        return Problem(path, 1, 1, f"{_NOT_READ}: its JSON is nested too deeply")
    except ValueError as error:  # a number with more digits than Python reads
        return Problem(path, 1, 1, f"{_NOT_READ}: {error}")


def _reason(document: object) -> str:
    """Why there are no cells in what a file says."""
    if isinstance(document, dict) and "worksheets" in document:
        return f"it has the format of IPython 2; `jupyter nbconvert --to notebook` writes nbformat {_OLDEST}"
    return "it has no list of cells"


def _code_cells(document: Mapping[str, object]) -> Iterator[RawCell]:
    """The Python cells of a notebook; what is not as the format has it is passed over."""
    cells = document["cells"]
    if not isinstance(cells, list) or _language(document) not in _PYTHON:
        return
    for number, cell in enumerate(cells, start=1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code" or not _in_python(cell):
            continue
        source, name = cell.get("source"), cell.get("id")
        strings = source if isinstance(source, list) else [source]
        if _all_strings(strings):
            shown = str(name) if isinstance(name, str) else ""
            yield RawCell(number, shown, tuple(strings), isinstance(source, list))


def _language(document: Mapping[str, object]) -> str:
    """The language of a notebook's kernel, which is Python where nothing is said."""
    for about, key in (("kernelspec", "language"), ("language_info", "name")):
        language = _within(_within(document, "metadata"), about).get(key)
        if isinstance(language, str):
            return language.lower()
    return "python"


def _in_python(cell: Mapping[str, object]) -> bool:
    """Whether an editor has not marked the cell as one of another language."""
    return _within(_within(cell, "metadata"), "vscode").get("languageId", "python") == "python"


def _within(mapping: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = mapping.get(key)
    return value if isinstance(value, dict) else {}


def _all_strings(values: Sequence[object]) -> TypeGuard[Sequence[SourceString]]:
    return all(isinstance(value, SourceString) for value in values)


class _Program:
    """A notebook's program while its cells are put together."""

    def __init__(self, path: str, lines: Lines) -> None:
        self._path = path
        self._lines = lines
        self._rows: list[str] = []
        self._cells: list[Cell] = []
        self._problems: list[Problem] = []

    def source(self, data: bytes, encoding: str, cells: Iterator[RawCell]) -> SourceFile:
        """The program of `cells`."""
        for cell in cells:
            self._add(cell)
        text = "".join(f"{row}\n" for row in self._rows)
        notebook = Notebook(tuple(self._cells)) if self._cells else None
        return SourceFile(self._path, data, text, encoding, notebook=notebook, problems=tuple(self._problems))

    def _add(self, cell: RawCell) -> None:
        rows = _ROW_END.split(cell.text)
        if rows[-1] == "":
            rows.pop()  # the line end of the last row begins no other
        made = without_magics(rows) if rows else None
        if made is None:
            return
        first = len(self._rows) + 1
        python, magics = made
        text = "".join(f"{row}\n" for row in python)
        shown = None
        if is_python(text):
            shown = _moved(last_expression(text), first - 1)
        else:
            self._problems.append(_broken(self._path, text, first))
            python = [""] * len(rows)
        self._rows += python
        strings = tuple(self._strings(cell))[: len(rows)]
        changed = frozenset(first + row for row in magics)
        self._cells.append(Cell(cell.number, cell.id, first, strings, changed, shown))

    def _strings(self, cell: RawCell) -> Iterator[Span]:
        """Where the string is written that each row of a cell begins in."""
        starts = [0, *(match.end() for match in _ROW_END.finditer(cell.text))]
        behind, strings = 0, iter(cell.strings)
        string = next(strings)
        for start in starts:
            while start >= behind + len(string):
                following = next(strings, None)
                if following is None:
                    break
                behind, string = behind + len(string), following
            yield self._lines.span(string.start, string.end)


def _broken(path: str, text: str, first: int) -> Problem:
    """Why a cell, whose first row is `first`, is no Python."""
    line, column, message = first_error(text) or (1, 1, "the cell cannot be read")
    last = text.count("\n")
    return Problem(path, first + min(line, last) - 1, column, message)


def _moved(span: Span | None, rows: int) -> Span | None:
    """The span so many rows further down."""
    return None if span is None else replace(span, line=span.line + rows, end_line=span.end_line + rows)
