"""The values of number and string literals, read from their source text without evaluating any."""

from __future__ import annotations

import re
import unicodedata

_SIMPLE_ESCAPES = {
    "\n": "",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_STR_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]*)\}|(.))", re.DOTALL
)
_BYTES_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)


def integer(text: str) -> int:
    """The value of an integer literal; ValueError where it has more digits than Python will read."""
    return int(text, 0)


def string(text: str) -> str | bytes:
    """The value of one string or bytes literal as written, prefix and quotes included.

    ValueError where an escape names no character.
    """
    quote = text.find('"') if text[-1] == '"' else text.find("'")
    prefix = text[:quote].lower()
    width = 3 if text.startswith(text[-1] * 3, quote) and len(text) - quote >= 6 else 1
    body = text[quote + width : -width]
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    escaped = "\\" in body and "r" not in prefix
    if "b" in prefix:
        return (_BYTES_ESCAPE.sub(_byte, body) if escaped else body).encode("latin-1")
    return _STR_ESCAPE.sub(_character, body) if escaped else body


def _character(match: re.Match[str]) -> str:
    octal, two, four, eight, name, other = match.groups()
    if other is not None:
        return _SIMPLE_ESCAPES.get(other, "\\" + other)
    if name is not None:
        return _named(name)
    return chr(int(octal, 8) if octal is not None else int(two or four or eight, 16))


def _named(name: str) -> str:
    try:
        return unicodedata.lookup(name)
    except KeyError as error:
        raise ValueError(f"no character is called {name!r}") from error


def _byte(match: re.Match[str]) -> str:
    octal, two, other = match.groups()
    if other is not None:
        return _SIMPLE_ESCAPES.get(other, "\\" + other)
    return chr((int(octal, 8) if octal is not None else int(two, 16)) & 0xFF)
