"""What Python itself says of a text's syntax: whether it is a program, and where it is none."""

from __future__ import annotations

import ast
import warnings

from lintgrad.diagnostics import Span

_UNSURE = (ValueError, RecursionError, MemoryError)
"""What parsing raises for texts that are no programs, but for other reasons than their syntax."""


def is_python(text: str) -> bool:
    """Whether the running Python takes the text for a program."""
    return own_tree(text) is not None


def own_tree(text: str) -> ast.Module | None:
    """The tree that the running Python makes of the text; None where it takes it for no program."""
    try:
        return _parse(text)
    except (SyntaxError, *_UNSURE):
        return None


def first_error(text: str) -> tuple[int, int, str] | None:
    """The line, the column and the reason of the first error; None where Python has none to tell."""
    try:
        _parse(text)
    except SyntaxError as error:
        line = max(error.lineno or 1, 1)
        return line, max(error.offset or 1, 1), error.msg[:1].lower() + error.msg[1:]
    except _UNSURE:
        return None
    return None


def last_expression(text: str) -> Span | None:
    """Where the expression is that is the last statement of a program, if it ends with one."""
    body = _parse(text).body
    last = body[-1] if body else None
    if not isinstance(last, ast.Expr):
        return None
    rows = text.split("\n")
    end = last.end_lineno or last.lineno
    # Python counts bytes of utf-8.
    start = len(rows[last.lineno - 1].encode()[: last.col_offset].decode())
    stop = len(rows[end - 1].encode()[: last.end_col_offset].decode())
    return Span(last.lineno, start + 1, end, stop + 1)


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
