"""A file's comments, and the lines that each speaks for.

Only comment tokens count, never text in a string. A comment behind code speaks for its own line; on
the last line of a statement over several lines, for the whole of it; behind the end of a string over
several lines, for the lines of the string. One that stands alone speaks for the next statement, or
inside brackets for the next line of code.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field

_OPENING = {getattr(tokenize, name, -1) for name in ("FSTRING_START", "TSTRING_START")} - {-1}
_CLOSING = {getattr(tokenize, name, -1) for name in ("FSTRING_END", "TSTRING_END")} - {-1}
_BLANK = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER})


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment token at `line` and `column` (1-based), `text` starting with its `#`.

    It speaks for the lines `first` to `last`; `alone` when no code stands before it on its line.
    """

    line: int
    column: int
    text: str
    alone: bool
    first: int
    last: int


@dataclass(slots=True)
class _Statement:
    """The logical line being read: where it began, its comments, where its long strings lie."""

    first: int = 0
    behind: list[tokenize.TokenInfo] = field(default_factory=list)
    inside: list[tokenize.TokenInfo] = field(default_factory=list)
    code_lines: list[int] = field(default_factory=list)
    strings: dict[int, int] = field(default_factory=dict)

    def comments(self, last: int) -> Iterator[Comment]:
        """The comments in it, once it has ended on the line `last`."""
        for token in self.behind:
            line = token.start[0]
            first = self.first if line == last else self.strings.get(line, line)
            yield _comment(token, alone=False, first=first, last=line)
        for token in self.inside:
            line = token.start[0]
            following = next((n for n in self.code_lines if n > line), line)
            yield _comment(token, alone=True, first=following, last=following)


def read_comments(text: str) -> list[Comment]:
    """The comments of the program `text`, in order; up to the first error where it has one."""
    found: list[Comment] = []
    waiting: list[tokenize.TokenInfo] = []  # alone on their lines, before a statement
    statement = _Statement()
    opened: list[int] = []
    for token in _tokens(text):
        if token.type == tokenize.COMMENT:
            _keep(token, statement, waiting)
        elif token.type == tokenize.NEWLINE:
            last = token.start[0]
            found += (_comment(c, alone=True, first=statement.first, last=last) for c in waiting)
            found += statement.comments(last)
            statement, waiting = _Statement(), []
        elif token.type not in _BLANK:
            _add_code(token, statement, opened)
    found += (_comment(c, alone=True, first=c.start[0], last=c.start[0]) for c in waiting)
    return sorted(found, key=lambda comment: (comment.line, comment.column))


def _keep(token: tokenize.TokenInfo, statement: _Statement, waiting: list[tokenize.TokenInfo]) -> None:
    """File a comment under what it speaks for."""
    if not statement.first:
        waiting.append(token)
    elif statement.code_lines[-1] == token.start[0]:
        statement.behind.append(token)
    else:
        statement.inside.append(token)


def _add_code(token: tokenize.TokenInfo, statement: _Statement, opened: list[int]) -> None:
    """Take note of a token that is part of a statement."""
    start, end = token.start[0], token.end[0]
    statement.first = statement.first or start
    statement.code_lines.append(end)
    if token.type in _OPENING:
        opened.append(start)
    if token.type in _CLOSING and opened:
        start = opened.pop()
    if end > start:
        statement.strings[end] = min(start, statement.strings.get(end, start))


def _comment(token: tokenize.TokenInfo, *, alone: bool, first: int, last: int) -> Comment:
    line, column = token.start
    return Comment(line, column + 1, token.string, alone, first, last)


def physical_lines(text: str) -> list[str]:
    """The lines of `text` without their ends, any kind of line end being one."""
    return io.StringIO(text, newline=None).read().split("\n")


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens of `text` up to the first error, any kind of line end being one."""
    try:
        yield from tokenize.generate_tokens(io.StringIO(text, newline=None).readline)
    except (tokenize.TokenError, SyntaxError):
        return
