"""From a file's text to its syntax tree, or to the place of its syntax error."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lintgrad.source.files import Problem, SourceFile
from lintgrad.source.nesting import too_deep
from lintgrad.source.syntax import first_error

if TYPE_CHECKING:
    import libcst

_PLACE = re.compile(r"error at (\d+):(\d+)")
_TOO_DEEP = "the program is nested too deeply to be analysed"


def parse(source: SourceFile) -> libcst.Module | Problem:
    """The syntax tree of `source`, or why it has none; made once and kept."""
    if source.tree is None:
        source.tree = _parse(source)
    return source.tree


def parses(text: str) -> bool:
    """Whether `text` is a program."""
    return too_deep(text) is None and not isinstance(_tree(text), BaseException)


def _parse(source: SourceFile) -> libcst.Module | Problem:
    deep = too_deep(source.text)
    if deep is not None:
        return Problem(source.path, *source.lines.place(deep), _TOO_DEEP)
    tree = _tree(source.text)
    if isinstance(tree, RecursionError):
        return Problem(source.path, 1, 1, _TOO_DEEP)
    if isinstance(tree, BaseException):
        return _explained(source, tree)
    return tree


def _tree(text: str) -> libcst.Module | BaseException:
    """The tree, or what the parser raised; its panics are no `Exception`s."""
    import libcst

    try:
        return libcst.parse_module(text)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the parser raises, the file has no tree
        return error


def _explained(source: SourceFile, error: BaseException) -> Problem:
    """The place and the reason of a syntax error, as Python itself gives them where it can.

    libcst lists the tokens that it would have taken, and often knows no place.
    """
    own = first_error(source.text)
    if own is not None:
        line, column, message = own
        return Problem(source.path, min(line, source.lines.count), column, message)
    found = _PLACE.search(str(error.args[0])) if error.args else None
    line, column = (int(found[1]), int(found[2])) if found else (1, 1)
    return Problem(source.path, max(line, 1), max(column, 1), "this syntax is not understood")
