"""Python's audit events: what the program tries is refused with a reason, and remembered.

This layer holds on every system and sees what Python code does, with paths and addresses. It does not see
native code, and code that is out to deceive can take it down from inside the process: the kernel's layers
are what holds then.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from lintgrad.verify.child.confine.places import Places

Judge = Callable[[Places, tuple[object, ...]], str]
"""From an event's arguments to what is refused, in words that follow "tried to"; empty where it may pass."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC

_refused: dict[str, None] = {}


def watch(places: Places) -> str:
    """From now on, for good, refuse what leads out of `places`; the layer's name."""
    judges = _judges()
    busy: list[str] = []

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        judge = judges.get(event)
        if judge is None or busy:
            return
        busy.append(event)  # a judge may cause events itself
        try:
            tried = judge(places, arguments)
        finally:
            busy.clear()
        if tried:
            raise _refusal(tried)

    sys.addaudithook(hook)
    return "audit"


def refused() -> tuple[str, ...]:
    """What was tried and refused, each once, in its order."""
    return tuple(_refused)


def preload() -> None:
    """Load what judging needs, while everything can still be read."""
    os.path.realpath(os.curdir)


def _refusal(tried: str) -> PermissionError:
    """The error for the program; looking at a file, or for native functions, is refused without a word."""
    if not tried.startswith(("read ", "call native")):
        _refused[tried] = None
    return PermissionError(errno.EPERM, f"the sandbox refuses to {tried}")


def _judges() -> Mapping[str, Judge]:
    judges: dict[str, Judge] = {"open": _open, "sqlite3.connect": _sqlite}
    judges.update(dict.fromkeys(_CHANGES_ONE, _one_path))
    judges.update(dict.fromkeys(_CHANGES_TWO, _two_paths))
    judges.update(dict.fromkeys(_LOOKS, _look))
    judges.update(dict.fromkeys(_STARTS, _start))
    judges.update(dict.fromkeys(_REACHES, _reach))
    judges.update({"socket.__new__": _socket, "os.kill": _kill, "os.symlink": _symlink})
    judges.update(dict.fromkeys(_SIGNALS, lambda _, __: "send a signal to another process"))
    judges.update(dict.fromkeys(_NATIVE, lambda _, __: "call native functions"))
    judges.update(dict.fromkeys(_REGISTRY, lambda _, __: "change the registry"))
    return judges


_CHANGES_ONE = (
    "os.chflags os.chmod os.chown os.mkdir os.remove os.removexattr os.rmdir os.setxattr os.truncate os.utime"
).split()
_CHANGES_TWO = ("os.link", "os.rename")
_LOOKS = ("os.listdir", "os.scandir", "os.listdrives", "os.chdir")
_STARTS = (
    "os.exec os.fork os.forkpty os.posix_spawn os.spawn os.startfile os.startfile/2 os.system pty.spawn "
    "subprocess.Popen webbrowser.open _winapi.CreateProcess"
).split()
_REACHES = (
    "socket.bind socket.connect socket.getaddrinfo socket.gethostbyaddr socket.gethostbyname "
    "socket.getnameinfo socket.sendmsg socket.sendto"
).split()
_SIGNALS = ("os.killpg", "_winapi.TerminateProcess", "sys.remote_exec")
_NATIVE = (
    "ctypes.dlopen ctypes.dlsym ctypes.dlsym/handle ctypes.call_function ctypes.cdata ctypes.cdata/buffer "
    "ctypes.string_at ctypes.wstring_at ctypes.addressof sqlite3.load_extension"
).split()
_REGISTRY = (
    "winreg.CreateKey winreg.DeleteKey winreg.DeleteValue winreg.SaveKey winreg.LoadKey winreg.SetValue"
).split()


def _open(places: Places, arguments: tuple[object, ...]) -> str:
    path, mode, flags = (*arguments, None, None)[:3]
    if isinstance(path, int):
        return ""  # a descriptor, whose file has been judged when it was opened
    writes = isinstance(flags, int) and bool(flags & _WRITING)
    if writes or (isinstance(mode, str) and any(letter in mode for letter in "wax+")):
        return "" if places.may_write(_text(path)) else f"write to {_text(path)}"
    return _look(places, arguments)


def _look(places: Places, arguments: tuple[object, ...]) -> str:
    path = arguments[0] if arguments else None
    if path is None or isinstance(path, int) or places.may_read(_text(path)):
        return ""
    # What is not there can be asked for: the program shall meet the error that it would meet elsewhere.
    return f"read {_text(path)}" if Path(_text(path)).exists() else ""


def _sqlite(places: Places, arguments: tuple[object, ...]) -> str:
    path = _text(arguments[0])
    return "" if path == ":memory:" or places.may_write(path) else f"write to {path}"


def _one_path(places: Places, arguments: tuple[object, ...]) -> str:
    return _changes(places, arguments[:1])


def _two_paths(places: Places, arguments: tuple[object, ...]) -> str:
    return _changes(places, arguments[:2])


def _symlink(places: Places, arguments: tuple[object, ...]) -> str:
    """A link may point anywhere: what is opened through it is judged by where it leads."""
    return _changes(places, arguments[1:2])


def _changes(places: Places, paths: tuple[object, ...]) -> str:
    for path in paths:
        if not isinstance(path, int) and not places.may_write(_text(path)):
            return f"write to {_text(path)}"
    return ""


def _start(_: Places, arguments: tuple[object, ...]) -> str:
    program = next((_text(a) for a in arguments if isinstance(a, (str, bytes, os.PathLike)) and a), "")
    return f"start a process ({program})" if program else "start a process"


def _reach(_: Places, arguments: tuple[object, ...]) -> str:
    """`connect` and others have the socket first; an address is a pair, a host's name stands alone."""
    address = next((a for a in arguments if isinstance(a, (tuple, str, bytes))), "")
    shown = ":".join(map(str, address[:2])) if isinstance(address, tuple) else _text(address)
    return f"reach the network ({shown})" if shown else "reach the network"


def _socket(_: Places, arguments: tuple[object, ...]) -> str:
    import socket

    local = getattr(socket, "AF_UNIX", None)
    family = arguments[1] if len(arguments) > 1 else None
    return "" if local is not None and family == local else "open a socket"


def _kill(_: Places, arguments: tuple[object, ...]) -> str:
    return "" if arguments[:1] == (os.getpid(),) else "send a signal to another process"


def _text(path: object) -> str:
    if isinstance(path, (str, bytes, os.PathLike)):
        return os.fsdecode(path)
    return str(path)
