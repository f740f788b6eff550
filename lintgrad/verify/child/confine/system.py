"""The C library, for the system calls that Python has no functions for."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys

LINUX = sys.platform == "linux"
MACHINE = platform.machine()


class LibC:
    """`ctypes.CDLL(None)`, opened when it is first needed."""

    _library: ctypes.CDLL | None = None

    @classmethod
    def call(cls, name: str, *arguments: object) -> int:
        """The result of the function `name`; `OSError` where it is negative."""
        if cls._library is None:
            cls._library = ctypes.CDLL(None, use_errno=True)
        result = int(getattr(cls._library, name)(*arguments))
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result


def syscall(number: int, *arguments: object) -> int:
    """The result of the system call; `OSError` where it fails."""
    return LibC.call("syscall", ctypes.c_long(number), *arguments)


def prctl(option: int, *arguments: int) -> int:
    """The result of `prctl`, whose further arguments are 0."""
    padded = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    return LibC.call("prctl", ctypes.c_int(option), *padded)


def die_with_parent() -> None:
    """Let the kernel end this process when the one that started it ends, however that comes about."""
    if LINUX:
        prctl(1, signal.SIGKILL)


def no_new_privileges() -> None:
    """Programs with the set-user-ID bit give this process nothing; what the locks ask for."""
    prctl(38, 1)
