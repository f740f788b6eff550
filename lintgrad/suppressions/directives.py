"""What a comment says about suppression: `noqa` and `lintgrad: ignore[...]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lintgrad.diagnostics import Span
from lintgrad.suppressions.lines import Comment, read_comments

_NOQA = re.compile(r"#\s*noqa(?P<rest>\s*:|(?=[\s#]|$))", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z]+[0-9]+(?![\w-])")
_SEPARATOR = re.compile(r"[\s,]*")
_IGNORE = re.compile(r"#\s*lintgrad\s*:\s*ignore\s*\[(?P<items>[^\]#]*)\]", re.IGNORECASE)
_ITEM = re.compile(r"[^\s,]+")


@dataclass(frozen=True, slots=True)
class Item:
    """One rule, as it was written, and where: `start` and `end` count from the comment's `#`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Directive:
    """A suppression: of the rules in `items`, or of all where it is `blanket`.

    `start` and `end` are its bounds in the comment's text, its reason included.
    """

    kind: Literal["noqa", "ignore"]
    comment: Comment
    items: tuple[Item, ...]
    blanket: bool
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Where it stands, from its `#` to its last item (or bracket)."""
        line, column = self.comment.line, self.comment.column
        last = self.items[-1].end if self.items else self.end
        if self.kind == "ignore":
            last = self.comment.text.index("]", self.start) + 1
        return Span(line, column + self.start, line, column + last)

    def covers(self, line: int) -> bool:
        """Whether it speaks for `line`."""
        if self.kind == "noqa" and self.comment.alone:
            return line == self.comment.line
        return self.comment.first <= line <= self.comment.last


def read_directives(text: str) -> tuple[Directive, ...]:
    """The suppressions in the program `text`, in order."""
    if "noqa" not in text.lower() and "lintgrad" not in text.lower():
        return ()
    return tuple(d for comment in read_comments(text) for d in _in_comment(comment))


def _in_comment(comment: Comment) -> Iterator[Directive]:
    for match in _NOQA.finditer(comment.text):
        items = tuple(_codes(comment.text, match.end())) if match["rest"] else ()
        blanket = not match["rest"]
        if blanket or items:  # `noqa:` with no code behind it means nothing
            end = _end(comment.text, match.end())
            yield Directive("noqa", comment, items, blanket, match.start(), end)
    for match in _IGNORE.finditer(comment.text):
        offset = match.start("items")
        found = _ITEM.finditer(match["items"])
        items = tuple(Item(m[0], offset + m.start(), offset + m.end()) for m in found)
        end = _end(comment.text, match.end())
        yield Directive("ignore", comment, items, blanket=False, start=match.start(), end=end)


def _codes(text: str, position: int) -> Iterator[Item]:
    """The codes from `position` on, up to the first thing that is none (a reason may follow)."""
    while True:
        position = _match_end(_SEPARATOR, text, position)
        match = _CODE.match(text, position)
        if match is None:
            return
        yield Item(match[0], match.start(), match.end())
        position = match.end()


def _match_end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _end(text: str, position: int) -> int:
    """Where the directive's reason ends: at the next `#`, or with the comment."""
    following = text.find("#", position)
    return len(text) if following < 0 else following
