"""How long a run may take, and where it works."""

from __future__ import annotations

import signal
import tempfile
from types import FrameType


class OutOfTimeError(BaseException):
    """Raised in the user's program when its time is up; no `except Exception` stops it."""


def alarm(seconds: float) -> None:
    """Have `OutOfTimeError` raised in this process after `seconds`, and again while it goes on."""
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.25)


def quiet() -> None:
    """Take the alarm back."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def folder() -> str:
    """A new folder for one run."""
    return tempfile.mkdtemp(prefix="lintgrad-verify-")


def _ring(_: int, __: FrameType | None) -> None:
    raise OutOfTimeError
