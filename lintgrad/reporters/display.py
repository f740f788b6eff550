"""How text looks in a terminal: the width of characters, and which of them must not get there."""

from __future__ import annotations

import unicodedata

TAB_WIDTH = 4
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(character: str) -> str:
    """The character, or a stand-in for one that would steer the terminal or reorder the line."""
    if character.isascii() and character.isprintable():
        return character
    if character in _BIDI_CONTROLS or unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
        return _REPLACEMENT
    return character


def one_line(text: str) -> str:
    """`text` as it may be shown inside a line: without breaks, tabs and control characters."""
    return "".join(" " if c in "\t\n" else visible(c) for c in text.replace("\r\n", "\n"))


def char_width(character: str) -> int:
    """How many columns the (visible) character takes."""
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width(text: str) -> int:
    """How many columns the (visible, tab-free) text takes."""
    return sum(map(char_width, text))


def cells(line: str) -> list[tuple[str, int]]:
    """What is drawn for each character of a source line, with its width: tabs become blanks."""
    drawn: list[tuple[str, int]] = []
    column = 0
    for character in line:
        if character == "\t":
            blanks = TAB_WIDTH - column % TAB_WIDTH
            drawn.append((" " * blanks, blanks))
        else:
            shown = visible(character)
            drawn.append((shown, char_width(shown)))
        column += drawn[-1][1]
    return drawn
