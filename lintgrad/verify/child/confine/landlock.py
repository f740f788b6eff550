"""Landlock: the kernel itself lets this process read and write in given folders alone.

It also keeps the process from TCP, from abstract sockets, and from signals to processes outside, each where
the kernel's version of it knows how. Numbers are those of `linux/landlock.h`.
"""

from __future__ import annotations

import ctypes
import os
import stat

from lintgrad.verify.child.confine.places import WRITABLE_DEVICES, Places
from lintgrad.verify.child.confine.system import LINUX, no_new_privileges, syscall

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_ALL_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
"""The rights that each version of the interface knows; from the fifth on there are sixteen."""

_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_TCP = 0b11
_SCOPES = 0b11


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # what packing means, said aloud as newer Pythons ask for
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """The version of the kernel's Landlock; 0 where there is none."""
    if not LINUX:
        return 0
    try:
        return syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG))
    except OSError:
        return 0


def restrict(places: Places) -> str:
    """Let this process see `places` alone; the layer's name, empty where the kernel has none."""
    abi = version()
    if abi == 0:
        return ""
    rights = _ALL_RIGHTS.get(abi, (1 << 16) - 1)
    ruleset = _ruleset(abi, rights)
    try:
        for place in places.readable:
            _allow(ruleset, place, _READ & rights)
        for device in WRITABLE_DEVICES:
            _allow(ruleset, device, (_READ_FILE | _WRITE_FILE | _TRUNCATE) & rights)
        _allow(ruleset, places.folder, rights)
        no_new_privileges()
        syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)
    return f"landlock {abi}"


def _ruleset(abi: int, rights: int) -> int:
    """A descriptor of an empty set of rules, which handles all that this version knows."""
    attributes = _Ruleset(rights, _TCP if abi >= 4 else 0, _SCOPES if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    return syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))


def _allow(ruleset: int, place: str, rights: int) -> None:
    """Add the rule for `place` and all below; a place that is not there needs none."""
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = _Beneath(rights, descriptor)
        syscall(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_PATH_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
        )
    finally:
        os.close(descriptor)
