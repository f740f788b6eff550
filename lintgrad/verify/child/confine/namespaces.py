"""A mount namespace in which the run's folder is a small file system in memory.

So what a run writes is bounded as a whole, never reaches the disk, and is gone with the process. It needs
user namespaces, which some systems and most containers deny; then the limits on each file have to do.
"""

from __future__ import annotations

import ctypes
import os

from lintgrad.verify.child.confine.system import LINUX, LibC

_NEW_NAMESPACES = 0x00020000 | 0x10000000  # CLONE_NEWNS, CLONE_NEWUSER
_PRIVATE = 1 << 18 | 1 << 14  # MS_PRIVATE, MS_REC
_NO_SETUID_NO_DEVICES = 1 << 1 | 1 << 2  # MS_NOSUID, MS_NODEV


def enter(folder: str, size: int) -> str:
    """Mount `size` bytes over `folder` in namespaces of this process's own; empty where that is denied."""
    if not LINUX:
        return ""
    user, group = os.getuid(), os.getgid()
    try:
        LibC.call("unshare", ctypes.c_int(_NEW_NAMESPACES))
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
        _mount("none", "/", "", _PRIVATE, "")
        _mount("tmpfs", folder, "tmpfs", _NO_SETUID_NO_DEVICES, f"size={size},mode=700")
    except OSError:
        return ""
    return "namespaces"


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _mount(what: str, where: str, kind: str, flags: int, options: str) -> None:
    texts = (os.fsencode(where), kind.encode())
    LibC.call("mount", what.encode(), *texts, ctypes.c_ulong(flags), options.encode())
