"""A guard before the parser, whose native stack a program can overflow by nesting.

The parser recurses for each bracket, each operator of a chain and each `elif`, and takes time that
grows with the square of a chain's length; patterns of `match` even double its time with each level.
Nobody writes programs as deep as the limits here, but tools that write programs do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_BRACKETS = 200
"""Python's own limit."""

MAX_LINKS = 2000
"""Operators that may wait for one another: in a chain, or around a bracket."""

MAX_ELIFS = 2000
MAX_PATTERN_BRACKETS = 8

_STRING = (
    r"'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'(?:[^'\\\r\n]|\\.)*'"
    r'|"(?:[^"\\\r\n]|\\.)*"'
)
_OPERATOR = r"\*\*|//|[-+*/%@&|^~.]|\b(?:and|await|else|elif|for|if|lambda|not|or)\b"
_TOKEN = re.compile(
    rf"\#[^\r\n]*|(?:[fFtT][rR]?|[rR][fFtT])?(?:{_STRING})|\\\r?\n|[()\[\]{{}},;\r\n]|\d[\w.]*|{_OPERATOR}",
    re.DOTALL,
)
_WORDS = ("and ", "await ", "else", "elif", "for ", "if ", "lambda", "not ", "or ")
_BETWEEN = re.compile(r"[\r\n][ \t]*(?=[\r\n]|(?:def|class|return|import|pass)\b)")
_BRACKETS = re.compile(r"[()\[\]{}]")
_CASE = re.compile(r"^[ \t]*case\b", re.MULTILINE)
_INDENT = re.compile(r"[ \t]*")


def too_deep(text: str) -> int | None:
    """The offset at which the program `text` exceeds what is safe to parse; None where it does not."""
    pattern = _deep_pattern(text) if "match" in text and "case" in text else None
    if pattern is not None:
        return pattern
    return _Scan(text).run() if _may_be_deep(text) else None


def _may_be_deep(text: str) -> bool:
    """A quick and rough answer, since the scan costs a tenth of the parse; yes where in doubt.

    A statement seldom has blank lines in it, and never a line that begins with `def`: so the chains of
    most files are bounded by what stands between two of these.
    """
    if _links(text) > MAX_LINKS:
        if any(len(part) > MAX_LINKS < _links(part) for part in _BETWEEN.split(text)):
            return True
    return text.count("elif") > MAX_ELIFS or _depth(text) > MAX_BRACKETS // 4


def _links(text: str) -> int:
    """At least as many as there are operators in `text`."""
    return sum(map(text.count, "([+-*/%@&|^~.")) + sum(map(text.count, _WORDS))


@dataclass(slots=True)
class _Scan:
    """One walk over the tokens, counting what is open at each of them.

    `links` has the chain's length at each level of brackets, `total` their sum, `elifs` the length of
    the chain of `elif`s at each width of indentation.
    """

    text: str
    links: list[int] = field(default_factory=lambda: [0])
    total: int = 0
    elifs: dict[int, int] = field(default_factory=dict)

    def run(self) -> int | None:
        fresh = True
        for match in _TOKEN.finditer(self.text):
            piece = match.group()
            if fresh:
                self._line(match.start(), piece)
            if not self._count(piece) or self._exceeded():
                return match.start()
            fresh = piece in "\r\n" and len(self.links) == 1
        return None

    def _count(self, piece: str) -> bool:
        """Take in a piece; False where a format string is nested too deeply in itself."""
        first = piece[0]
        if first in "([{":
            self.links[-1] += 1
            self.links.append(0)
            self.total += 1
        elif first in ")]}":
            if len(self.links) > 1:
                self.total -= self.links.pop()
        elif first in ",;" or (first in "\r\n" and len(self.links) == 1):
            self.total -= self.links[-1]
            self.links[-1] = 0
        elif first in "fFtTrR" and piece[-1] in "'\"":
            return len(self.links) + _depth(piece) <= MAX_BRACKETS
        elif first in "+-*/%@&|^~." or first.isalpha():
            self.links[-1] += 1
            self.total += 1
        return True

    def _exceeded(self) -> bool:
        return (
            len(self.links) > MAX_BRACKETS
            or self.total > MAX_LINKS
            or max(self.elifs.values(), default=0) > MAX_ELIFS
        )

    def _line(self, offset: int, piece: str) -> None:
        """Take in the first piece of a statement that is of interest: it may go on with `elif`s."""
        start = max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1
        indent = _INDENT.match(self.text, start)
        width = 0 if indent is None else indent.end() - start
        if piece == "elif":
            self.elifs[width] = self.elifs.get(width, 0) + 1
        elif self.elifs and piece not in "\r\n" and piece[0] != "#":
            self.elifs = {w: n for w, n in self.elifs.items() if w < width}


def _depth(text: str) -> int:
    """How deep the brackets of `text` go, those in strings being taken for brackets."""
    depth = deepest = 0
    for bracket in _BRACKETS.findall(text):
        if bracket in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif depth:
            depth -= 1
    return deepest


def _deep_pattern(text: str) -> int | None:
    """The offset of the first `case` whose pattern nests too deeply."""
    for case in _CASE.finditer(text):
        depth = 0
        for match in _TOKEN.finditer(text, case.end()):
            piece = match.group()
            if piece in "([{":
                depth += 1
            elif piece in ")]}":
                depth -= 1
            elif piece in "\r\n" and depth <= 0:
                break
            if depth > MAX_PATTERN_BRACKETS:
                return match.start()
    return None
