"""From a file's text to its syntax tree, or to the place of its syntax error.

Python's own parser is ten times faster than libcst's, and its tree smaller, so it comes first. libcst's
tree is made for what Python's cannot give: each blank and comment of the text, for fixes; and programs in
a newer syntax than the running Python has.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lintgrad.source.files import Problem, SourceFile
from lintgrad.source.nesting import too_deep
from lintgrad.source.syntax import first_error, is_python, own_tree

if TYPE_CHECKING:
    import ast

    import libcst

_PLACE = re.compile(r"error at (\d+):(\d+)")
_TOO_DEEP = "the program is nested too deeply to be analysed"


def parse(source: SourceFile) -> ast.Module | libcst.Module | Problem:
    """The syntax tree of `source`, or why it has none; made once and kept.

    It is Python's own tree; where this Python does not know the syntax and libcst does, it is libcst's.
    """
    if source.tree is None:
        source.tree = _parse(source)
    return source.tree


def concrete_tree(source: SourceFile) -> libcst.Module | Problem:
    """The tree of `source` by libcst, or why it has none; made once and kept."""
    if source.concrete is None:
        deep = _deep(source)
        source.concrete = _concrete(source) if deep is None else deep
    return source.concrete


def parses(text: str) -> bool:
    """Whether `text` is a program."""
    if too_deep(text) is not None:
        return False
    return is_python(text) or not isinstance(_tree(text), BaseException)


def _parse(source: SourceFile) -> ast.Module | libcst.Module | Problem:
    deep = _deep(source)
    if deep is not None:
        return deep
    return own_tree(source.text) or concrete_tree(source)


def _deep(source: SourceFile) -> Problem | None:
    deep = too_deep(source.text)
    return None if deep is None else Problem(source.path, *source.lines.place(deep), _TOO_DEEP)


def _concrete(source: SourceFile) -> libcst.Module | Problem:
    tree = _tree(source.text)
    if isinstance(tree, RecursionError):
        return Problem(source.path, 1, 1, _TOO_DEEP)
    if isinstance(tree, BaseException):
        return _explained(source, tree)
    return tree


def _tree(text: str) -> libcst.Module | BaseException:
    """The tree by libcst, or what its parser raised; its panics are no `Exception`s."""
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
