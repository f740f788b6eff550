"""Prose in lines of a given width."""

from __future__ import annotations

import re
import textwrap

from lintgrad.reporters.display import one_line

_CODE = re.compile("`[^`]*`")
_GLUE = "\0"
"""Stands for a blank that no line may end at; cannot be in text that `one_line` has passed."""


def wrap(text: str, columns: int, indent: str = "") -> list[str]:
    """`text` in lines of at most `columns`, unless a word or a piece of code in backticks is longer.

    Line breaks in `text` are kept, and lines that begin with a blank (code) are not wrapped.
    Continuation lines begin with `indent`.
    """
    first, *others = text.strip("\n").split("\n")
    lines = _wrap_paragraph(one_line(first), columns, "", indent)
    for paragraph in others:
        lines += _wrap_paragraph(one_line(paragraph), columns, indent, indent)
    return lines


def _wrap_paragraph(text: str, columns: int, first: str, indent: str) -> list[str]:
    if text.startswith(" ") or not text:
        return [(first + text).rstrip()]
    glued = _CODE.sub(lambda code: code[0].replace(" ", _GLUE), text)
    wrapped = textwrap.wrap(
        glued,
        columns,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_GLUE, " ") for line in wrapped]
