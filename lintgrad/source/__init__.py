"""A file: its bytes, its text, its syntax trees, and where in the text the trees' nodes lie.

libcst is imported when the first file is in need of its tree, which most are not.
"""

from __future__ import annotations

from lintgrad.source.files import MAX_BYTES, Problem, SourceFile, from_bytes, load
from lintgrad.source.parsing import concrete_tree, parse, parses
from lintgrad.source.spans import concrete_spans, spans

__all__ = [
    "MAX_BYTES",
    "Problem",
    "SourceFile",
    "concrete_spans",
    "concrete_tree",
    "from_bytes",
    "load",
    "parse",
    "parses",
    "spans",
]
