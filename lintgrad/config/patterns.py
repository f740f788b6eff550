"""git's patterns, as `exclude` and `per-file-ignores` use them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def matches(root: Path, patterns: Sequence[str], path: Path, *, is_folder: bool) -> bool:
    """Whether `patterns`, relative to `root`, match `path`; never where it lies outside."""
    try:
        relative = path.relative_to(root)
    except ValueError:
        return False
    return compiled(tuple(patterns)).match_file(relative.as_posix() + ("/" if is_folder else ""))


def is_pattern(text: str) -> bool:
    """Whether `text` is a pattern that can be matched with."""
    try:
        compiled((text,))
    except (ValueError, re.error):
        return False
    return True


@lru_cache(maxsize=256)
def compiled(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    """The patterns, ready to match; raises `ValueError` or `re.error` for one that is none."""
    from pathspec import GitIgnoreSpec  # 40 ms that a run without patterns need not pay

    return GitIgnoreSpec.from_lines(patterns)
