"""A file: its bytes, its text, its syntax tree, and where in the text the tree's nodes lie.

Importing this imports libcst: what only lists or gates files does not.
"""

from __future__ import annotations

from lintgrad.source.files import MAX_BYTES, Problem, SourceFile, from_bytes, load
from lintgrad.source.parsing import parse, parses
from lintgrad.source.positions import Positions, positions, spans

__all__ = [
    "MAX_BYTES",
    "Positions",
    "Problem",
    "SourceFile",
    "from_bytes",
    "load",
    "parse",
    "parses",
    "positions",
    "spans",
]
