"""seccomp: the kernel refuses this process the system calls that reach out of it.

The filter is a program for the kernel's packet filter (BPF): it compares the number of each call with those
on the list. What is refused fails as if it were not permitted, so that native code sees an ordinary
error. Calls that only change the dress of a file (mode, owner, times) seem to succeed and do nothing: much
code that copies files makes them, and Landlock does not stop them.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from dataclasses import dataclass

from lintgrad.verify.child.confine.syscalls import (
    ARCHITECTURES,
    DRESSING,
    REFUSED,
    Architecture,
)
from lintgrad.verify.child.confine.system import LINUX, MACHINE, no_new_privileges, prctl

_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06

_THREAD = 0x00010000  # CLONE_THREAD
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_LIMITS_ARGUMENT = 2


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("jt", ctypes.c_uint8),
        ("jf", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction)))


@dataclass(frozen=True)
class Step:
    """One instruction: what it does with `k`, and how many are skipped if its test holds, or does not."""

    code: int
    k: int
    then: int = 0
    otherwise: int = 0


def restrict() -> str:
    """Install the filter; the layer's name, empty where the system has none for this machine."""
    architecture = ARCHITECTURES.get(MACHINE)
    if not LINUX or architecture is None or sys.byteorder != "little":
        return ""
    program = steps(architecture, os.getpid())
    instructions = (_Instruction * len(program))()
    for place, step in enumerate(program):
        instructions[place] = _Instruction(step.code, step.then, step.otherwise, step.k)
    filter_ = _Program(len(program), instructions)
    try:
        no_new_privileges()
        prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(filter_))
    except OSError:
        return ""
    return "seccomp"


def steps(architecture: Architecture, process: int) -> list[Step]:
    """The filter's program for `process`, which may send signals to itself alone."""
    numbers = architecture.numbers
    refuse = Step(_RETURN, _ERRNO | errno.EPERM)
    program = [
        Step(_LOAD, _ARCHITECTURE),
        Step(_EQUAL, architecture.audit, 1, 0),
        Step(_RETURN, _KILL),
        Step(_LOAD, _NUMBER),
        # Calls in another numbering of the same machine (x32) would slip past the list.
        Step(_AT_LEAST, 0x40000000, 0, 1),
        refuse,
    ]
    for name in REFUSED:
        if name in numbers:
            program += [Step(_EQUAL, numbers[name], 0, 1), refuse]
    for name in DRESSING:
        if name in numbers:
            program += [Step(_EQUAL, numbers[name], 0, 1), Step(_RETURN, _ERRNO)]
    # The C library falls back to `clone`, whose flags can be looked at, when there is no `clone3`.
    program += [Step(_EQUAL, numbers["clone3"], 0, 1), Step(_RETURN, _ERRNO | errno.ENOSYS)]
    program += _asked(numbers["clone"], 0, Step(_ANY_BIT, _THREAD, 1, 0), refuse)
    program += _asked(numbers["prlimit64"], _LIMITS_ARGUMENT, Step(_EQUAL, 0, 1, 0), refuse)
    program += _asked(numbers["prctl"], 0, Step(_EQUAL, _DEATH_SIGNAL, 0, 1), refuse)
    for name in ("kill", "tgkill"):
        program += _asked(numbers[name], 0, Step(_EQUAL, process, 1, 0), refuse)
    return [*program, Step(_RETURN, _ALLOW)]


def _asked(number: int, argument: int, test: Step, refuse: Step) -> list[Step]:
    """Refuse the call `number` unless `test`, on the low half of its argument, skips the refusal."""
    return [
        Step(_EQUAL, number, 0, 4),
        Step(_LOAD, _FIRST_ARGUMENT + 8 * argument),
        test,
        refuse,
        Step(_RETURN, _ALLOW),
    ]
