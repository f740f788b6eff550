"""Writing a file so that nobody ever sees half of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` into the file at `path`, all of it or nothing; its mode stays, a new one has the usual.

    A symbolic link is followed: what it points to is written. OSError where the file cannot be.
    """
    target = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(target.stat().st_mode & 0o7777 if target.exists() else _usual_mode())
        os.replace(temporary, target)  # noqa: PTH105 - the documentation speaks of this one
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _usual_mode() -> int:
    """What `open` would give a new file; `mkstemp` lets nobody else read."""
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask
