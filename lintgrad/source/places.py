"""Where the nodes of Python's own tree lie in the text.

They have lines, and columns in bytes of UTF-8. Where a compound statement's header ends, and where
parentheses are, has to be looked for in the text behind the nodes.
"""

from __future__ import annotations

import ast
import re
from typing import TypeGuard

from lintgrad.source.files import SourceFile
from lintgrad.source.origins import Bare, Clause, Link

_TRIVIA = r"(?:[ \t\f\r\n]|\\\r\n|\\[\r\n]|#[^\r\n]*)*"
_BLANKS = re.compile(_TRIVIA)
_COLON = re.compile(r"(?:[^:#]|#[^\r\n]*)*:")
_OPENED = re.compile(r"(?:\([ \t\f\r\n]*)*\Z")

_Placed = ast.expr | ast.stmt | ast.excepthandler | ast.arg | ast.keyword | ast.alias | ast.pattern
_PLACED = (ast.expr, ast.stmt, ast.excepthandler, ast.arg, ast.keyword, ast.alias, ast.pattern)
_NAME = re.compile(r"\w+")
_STARS = re.compile(rf"\*\*?{_TRIVIA}\Z")
_BODIES = frozenset({"body", "orelse", "handlers", "finalbody", "cases", "decorator_list"})


class Places:
    """The places of the nodes of one tree, as offsets into the file's text; ends are exclusive."""

    def __init__(self, source: SourceFile) -> None:
        self._text = source.text
        self._lines = source.lines
        self._plain = source.text.isascii()

    def header(self, origin: object) -> tuple[int, int]:
        """From where to where `origin` goes; a compound statement ends behind the colon of its first line."""
        if isinstance(origin, ast.match_case):
            start = self._text.rfind("case", 0, self.start(origin.pattern))
            return start, self._colon(self._end_of_header(origin, start))
        if not _is_placed(origin):
            return self._special(origin)
        start = self.start(origin)
        if isinstance(origin, ast.arg):
            return self._name(start)
        if hasattr(origin, "body") and not isinstance(origin, (ast.Lambda, ast.IfExp)):
            return start, self._colon(self._end_of_header(origin, start))
        if isinstance(origin, ast.Match):
            return start, self._colon(self.end(origin.subject))
        return start, self.end(origin)

    def start(self, node: _Placed) -> int:
        """Where `node` begins."""
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: _Placed) -> int:
        """Where `node` ends."""
        return self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def _special(self, origin: object) -> tuple[int, int]:
        match origin:
            case Link(node, last):
                return self.start(node), self._closed(self.end(node.values[last]))
            case Clause(node, last):
                keyword = self._keyword(node)
                return keyword, self._closed_again([last.iter, *last.ifs][-1], keyword)
            case Bare(node):
                return self._inside(self.start(node), self.end(node))
            case ast.withitem():
                return self.start(origin.context_expr), self.end(origin.optional_vars or origin.context_expr)
        raise TypeError(f"{type(origin).__name__} has no place")

    def _offset(self, line: int, column: int) -> int:
        """The offset of a line and a column in bytes."""
        start = self._lines.offset(line, 1)
        if self._plain:
            return min(start + column, len(self._text))
        row = self._text[start : start + column]  # at most so many characters
        return start + (column if row.isascii() else len(row.encode()[:column].decode(errors="ignore")))

    # --- what stands before and behind nodes ----------------------------------------------------

    def _end_of_header(self, node: ast.AST, start: int) -> int:
        """Where the last of the parts of a compound statement's header ends."""
        parts = [getattr(node, name, None) for name in node._fields if name not in _BODIES]
        return max(self._ends(parts), default=start)

    def _ends(self, part: object) -> list[int]:
        if isinstance(part, list):
            return [end for one in part for end in self._ends(one)]
        if _is_placed(part):
            return [self.end(part)]
        if isinstance(part, ast.AST):
            return [end for name in part._fields for end in self._ends(getattr(part, name, None))]
        return []

    def _colon(self, offset: int) -> int:
        """Behind the next colon, those in comments passed over."""
        found = _COLON.match(self._text, offset)
        return offset if found is None else found.end()

    def _name(self, start: int) -> tuple[int, int]:
        """The name of a parameter, with the stars before it."""
        found = _NAME.match(self._text, start)
        stars = _STARS.search(self._text, 0, start)
        return start if stars is None else stars.start(), start if found is None else found.end()

    def _keyword(self, clause: ast.comprehension) -> int:
        """Where the `for` or `async for` of a clause begins."""
        found = self._text.rfind("for", 0, self.start(clause.target))
        return self._text.rfind("async", 0, found) if clause.is_async else found

    def _closed(self, offset: int, limit: int | None = None) -> int:
        """Behind the parentheses that are closed from `offset` on, not more than `limit`."""
        blanks = _BLANKS.match(self._text, offset)
        while blanks is not None and self._text.startswith(")", blanks.end()) and limit != 0:
            offset = blanks.end() + 1
            limit = None if limit is None else limit - 1
            blanks = _BLANKS.match(self._text, offset)
        return offset

    def _closed_again(self, node: ast.expr, start: int) -> int:
        """Behind the parentheses around `node` that are opened behind `start`."""
        opened = _OPENED.search(self._text, start, self.start(node))
        return self._closed(self.end(node), 0 if opened is None else opened.group().count("("))

    def _inside(self, start: int, end: int) -> tuple[int, int]:
        """What is between the parentheses at both ends, without the blanks."""
        text = self._text
        blanks = _BLANKS.match(text, start + 1, end - 1)
        first = start + 1 if blanks is None else blanks.end()
        return first, first + len(text[first : end - 1].rstrip(" \t\f\r\n"))


def _is_placed(part: object) -> TypeGuard[_Placed]:
    return isinstance(part, _PLACED)
