"""Which lines of the user's program are being run.

The program is compiled under a file name of its own; a frame whose code bears it runs the program.
"""

from __future__ import annotations

import sys
from types import FrameType

Lines = tuple[int, ...]
"""The program's lines on the stack, the innermost first."""


class Program:
    """The file name that the user's program is compiled under."""

    file = ""


def user_lines() -> Lines:
    """The program's lines that run now, callers behind their callees."""
    lines = list[int]()
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - there is no other way to the frames
    while frame is not None:
        if frame.f_code.co_filename == Program.file:
            lines.append(frame.f_lineno)
        frame = frame.f_back
    return tuple(lines)


def lines_of(problem: BaseException) -> Lines:
    """The program's lines that an exception came through, the innermost first."""
    lines = list[int]()
    trace = problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == Program.file:
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return tuple(reversed(lines))
