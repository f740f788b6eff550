"""Writing to where users and programs read: standard output, a file, standard error."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO

import click


class CannotWriteError(Exception):
    """A file or stream that could not be written; `str()` says which and why."""


class CannotReadError(Exception):
    """What is to be read is not there; `str()` says so."""


def write_out(text: str | bytes) -> None:
    """Write to standard output as it is; a reader who has gone away is no error.

    Raises `CannotWriteError`.
    """
    if not is_open(sys.stdout):
        raise CannotWriteError("standard output is closed")
    try:
        click.echo(text, nl=False, color=True)
    except BrokenPipeError:
        _drop_output()
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        click.echo(str(text).encode(encoding, errors="backslashreplace"), nl=False)
    except OSError as error:
        _drop_output()
        raise CannotWriteError(f"standard output cannot be written: {error.strerror or error}") from None


def _drop_output() -> None:
    """Let what is left go nowhere: the interpreter flushes once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_open(stream: IO[str] | None) -> bool:
    """Whether there is such a stream: a process may be started without any of the three."""
    return stream is not None


def read_in() -> bytes:
    """All of standard input; raises `CannotReadError`."""
    if not is_open(sys.stdin):
        raise CannotReadError("standard input is closed")
    return sys.stdin.buffer.read()


def current_folder() -> Path:
    """The current folder; raises `CannotReadError` where it is there no more."""
    try:
        return Path.cwd()
    except OSError:
        raise CannotReadError("the current folder does not exist any more") from None


def write_file(path: str, text: str) -> None:
    """Write `text` as UTF-8 to the file `path`, making its folder; raises `CannotWriteError`.

    Who reads meanwhile sees the old file or the new one; a device or a pipe is written to as it is.
    """
    from lintgrad.source.writing import write_atomically

    data = text.encode("utf-8", errors="surrogateescape")
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            write_atomically(target, data)
    except OSError as error:
        raise CannotWriteError(f"{path}: cannot be written: {error.strerror or error}") from None


def append_file(path: str, text: str) -> None:
    """Write `text` as UTF-8 behind what the file `path` holds; raises `CannotWriteError`."""
    try:
        with Path(path).open("ab") as file:
            file.write(text.encode("utf-8", errors="surrogateescape"))
    except OSError as error:
        raise CannotWriteError(f"{path}: cannot be written: {error.strerror or error}") from None


def say(text: str) -> None:
    """A line on standard error."""
    click.echo(text, err=True)


def say_error(text: str) -> None:
    """Say on standard error that lintgrad could not do something."""
    say(f"lintgrad: error: {text}")


def say_warning(text: str) -> None:
    """Say on standard error that something is not as the user may think."""
    say(f"lintgrad: warning: {text}")


def wants_color(choice: str, stream: IO[str]) -> bool:
    """Whether to colour what goes to `stream`: `always`, `never`, or on a terminal (`auto`)."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return is_open(stream) and stream.isatty()
