"""The sandbox of a run: what the user's code may do in the process made for it.

Several layers, each of which holds where the system has it, applied by the process to itself:

- `namespaces` (Linux): a file system of its own mounted over the run's folder, bounded in size;
- `landlock` (Linux): the kernel lets it read the interpreter's folders and its own, and write its own;
- `seccomp` (Linux): the kernel refuses sockets, new processes, other programs, signals to others;
- `limits`: memory, processor time, size of files, number of open files;
- `audit`: Python's own events for all of these, which say what was tried.

Only the kernel's layers hold against native code; `docs/verify.md` says what each keeps out.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from lintgrad.verify.child.confine import audit, landlock, limits, namespaces, seccomp
from lintgrad.verify.child.confine.places import Places, readable_places
from lintgrad.verify.child.confine.system import die_with_parent

FOLDER_BYTES = 64 << 20
"""What a run may write, all files together where its folder can be mounted, else each."""


def prepare() -> None:
    """Load what `confine` needs; to be called once, in the process that is forked for runs.

    From then on that process ends together with the one that started it (Linux).
    """
    die_with_parent()
    audit.preload()


def confine(
    folder: str,
    seconds: float,
    memory: int,
    keep: Iterable[int] | None = None,
    readable: Iterable[str] = (),
) -> tuple[str, ...]:
    """Take from this process, for good, what the user's code shall not have; says which layers hold.

    `folder` is the one place left to write to and becomes the working folder. `seconds` are of the
    processor, `memory` is in bytes and comes on top of what is mapped already. Descriptors not in
    `keep` (pipes, where it is not given) are closed, and standard input, output and error lead nowhere.
    `readable` are folders that may be read besides the interpreter's own and those it imports from.
    """
    folder = os.path.realpath(folder)
    close_descriptors(keep)
    held = [namespaces.enter(folder, FOLDER_BYTES)]
    die_with_parent()
    settle(folder)
    places = Places(folder, readable_places(readable))
    held.append(landlock.restrict(places))
    held.append(limits.lower(seconds, memory, FOLDER_BYTES))
    held.append(seccomp.restrict())
    held.append(audit.watch(places))
    return tuple(layer for layer in held if layer)


def refused() -> tuple[str, ...]:
    """What this process tried and was refused, in its order, each once."""
    return audit.refused()


def settle(folder: str) -> None:
    """Work deep in `folder`, and take it for the home and for temporary files, too.

    Many programs keep their data above them (`../../data`): that stays in the folder.
    """
    deep = Path(folder, *["run"] * 4)
    deep.mkdir(parents=True, exist_ok=True)
    os.chdir(deep)
    os.environ.update(dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), folder))
    tempfile.tempdir = folder


def close_descriptors(keep: Iterable[int] | None) -> None:
    """Close all descriptors but those in `keep`; 0, 1 and 2 lead nowhere unless they are kept.

    Without `keep`, pipes stay: one of them takes the answer away.
    """
    kept = {d for d in _open_descriptors() if d > 2 and _is_pipe(d)} if keep is None else set(keep)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        if standard not in kept:
            os.dup2(nowhere, standard)
    for descriptor in _open_descriptors():
        if descriptor > 2 and descriptor not in kept:
            _close(descriptor)


def _open_descriptors() -> list[int]:
    for table in ("/proc/self/fd", "/dev/fd"):
        if sys.platform != "win32" and Path(table).is_dir():
            return [int(entry.name) for entry in Path(table).iterdir()]
    return list(range(256))


def _is_pipe(descriptor: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        return  # it was the one that listed the others
