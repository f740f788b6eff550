"""How a fault of lintgrad itself is told: what was raised, and where."""

from __future__ import annotations

import traceback
from pathlib import Path


def describe(error: BaseException) -> str:
    """The exception's type and text, and the file and line that raised it."""
    lines = "".join(traceback.format_exception_only(error)).splitlines()
    text = lines[0] if len(lines) == 1 else f"{lines[0]} ..."
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    if not frames:
        return text
    file = "/".join(Path(frames[0].filename).parts[-2:])
    return f"{text} ({file}:{frames[0].lineno})"
