"""Which parts of the file system a run may see."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SYSTEM_FOLDERS = ("/usr", "/lib", "/lib32", "/lib64", "/nix/store", "/System/Library", "/Library/Frameworks")
"""Where shared libraries and time zones lie."""

SYSTEM_FILES = (
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/os-release",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/self",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
)
"""What libraries look at to learn of the machine."""

WRITABLE_DEVICES = ("/dev/null",)


@dataclass(frozen=True)
class Places:
    """`folder` may be written and read, `readable` read; all absolute, without symbolic links."""

    folder: str
    readable: tuple[str, ...]

    def may_write(self, path: str) -> bool:
        """Whether the file at `path` may be made or changed."""
        real = os.path.realpath(path)
        return real in WRITABLE_DEVICES or _within(real, self.folder)

    def may_read(self, path: str) -> bool:
        """Whether the file or folder at `path` may be looked into."""
        real = os.path.realpath(path)
        return _within(real, self.folder) or any(_within(real, place) for place in self.readable)


def readable_places(more: Iterable[str] = ()) -> tuple[str, ...]:
    """The interpreter's folders, the system's, and `more`, as far as they are there.

    A folder that holds a home folder is left out, wherever it comes from: it may hold secrets.
    """
    wanted = [*_interpreter_folders(), *SYSTEM_FOLDERS, *SYSTEM_FILES, *more]
    homes = _homes()
    found = dict.fromkeys(os.path.realpath(place) for place in wanted if place)
    return tuple(
        place for place in found if Path(place).exists() and not any(_within(home, place) for home in homes)
    )


def _interpreter_folders() -> list[str]:
    """Where Python and what is installed for it lie."""
    scheme = sysconfig.get_paths()
    folders = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, *scheme.values()]
    return [*folders, *site.getsitepackages(), *(entry for entry in sys.path if entry)]


def _homes() -> list[str]:
    """The user's home folders: as the system knows it, and as the environment says."""
    homes = [os.path.realpath(Path("~").expanduser())]
    try:
        import pwd
    except ImportError:  # Windows
        return homes
    try:
        homes.append(os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir))
    except KeyError:  # a user without an entry, as in containers
        return homes
    return homes


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
