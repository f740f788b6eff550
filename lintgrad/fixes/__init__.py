"""Repairs: from what a check plans to edits of the text, and from edits to the file.

Only the text that an edit names is ever touched: newlines, encoding, byte order mark and blanks of the
rest stay as they are.
"""

from __future__ import annotations

from lintgrad.fixes.applying import apply
from lintgrad.fixes.files import unified_diff
from lintgrad.fixes.resolving import resolve
from lintgrad.source.writing import write_atomically

__all__ = ["apply", "resolve", "unified_diff", "write_atomically"]
