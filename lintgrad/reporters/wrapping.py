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
    lines: list[str] = []
    for paragraph in text.strip("\n").split("\n"):
        shown = one_line(paragraph)
        if shown.startswith(" ") or not shown:
            lines.append(shown)
        else:
            lines += _wrap_paragraph(shown, columns, indent)
    return lines[:1] + [line if line.startswith(indent) else indent + line for line in lines[1:]]


def _wrap_paragraph(text: str, columns: int, indent: str) -> list[str]:
    glued = _CODE.sub(lambda code: code[0].replace(" ", _GLUE), text)
    wrapped = textwrap.wrap(
        glued, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace(_GLUE, " ") for line in wrapped]
