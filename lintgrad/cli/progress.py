"""How far a long run has come, on the terminal's last line."""

from __future__ import annotations

import time
from typing import IO

from lintgrad.cli.output import is_open

PATIENCE = 1.0
"""Seconds before anything is shown: a short run leaves the terminal alone."""

INTERVAL = 0.1
WIDTH = 24


class ProgressBar:
    """A bar on `stream`; nothing where that is no terminal."""

    def __init__(self, stream: IO[str], noun: str = "files") -> None:
        self._stream = stream
        self._noun = noun
        self._on = is_open(stream) and stream.isatty()
        self._next = time.monotonic() + PATIENCE
        self._drawn = False

    def __call__(self, done: int, total: int) -> None:
        """Draw the bar anew, unless that was done a moment ago."""
        if not self._on or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + INTERVAL
        full = WIDTH * done // total
        self._stream.write(f"\r[{'#' * full}{'.' * (WIDTH - full)}] {done}/{total} {self._noun}")
        self._stream.flush()
        self._drawn = True

    def clear(self) -> None:
        """Take the bar off the terminal."""
        if self._drawn:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._drawn = False
