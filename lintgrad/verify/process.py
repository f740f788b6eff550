"""The child process: started, talked to in lines, and ended together with all that it started."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO

from lintgrad.verify.environment import command, scrubbed
from lintgrad.verify.protocol import VERSION, Answer, Hello, ProtocolError, Request

HELLO_SECONDS = 120.0
"""How long importing torch may take, on a slow disk for the first time."""

FOLDER_BYTES = 1 << 30
"""What the runs may leave in their folder, where nothing else bounds it."""

_SLICE = 0.2
"""Seconds between two looks at the clock and the disk; some systems deliver no Ctrl-C meanwhile."""


class ChildError(Exception):
    """The child cannot be started, or has ended; `str()` says why, for users."""


class NoTorchError(ChildError):
    """The interpreter that is to verify has no torch."""

    def __init__(self, python: str) -> None:
        super().__init__(
            f"{python} has no torch to verify on: `pip install 'lintgrad[verify]'` brings it, "
            "or --python names an interpreter that has it"
        )


class Child:
    """A process that verifies. All of its folder, processes and threads end with `close`."""

    def __init__(self, python: str, jobs: int = 1, *, isolated: bool = True) -> None:
        """Start the process; raises `ChildError` where that is not possible."""
        self.python = python
        self.folder = tempfile.mkdtemp(prefix="lintgrad-")
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._said = Path(self.folder, "stderr")
        try:
            self._process = self._start(
                command(python, jobs, isolated=isolated), scrubbed(self.folder, isolated=isolated)
            )
        except OSError as error:
            _remove(self.folder)
            raise ChildError(f"{python}: cannot be run: {error.strerror or error}") from None
        threading.Thread(target=self._read, name="lintgrad-child", daemon=True).start()

    def _start(self, arguments: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with self._said.open("wb") as said:
            return subprocess.Popen(  # noqa: S603 - the interpreter that the user named, or our own
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                env=environment,
                cwd=self.folder,
                # A group of its own: Ctrl-C does not reach it, and one signal ends all of it.
                start_new_session=True,
            )

    def _read(self) -> None:
        """Take lines off the pipe, in a thread: the one way to wait with a limit on every system."""
        stream = self._process.stdout
        assert stream is not None
        with contextlib.suppress(OSError, ValueError):  # it was closed meanwhile
            for line in stream:
                self._lines.put(line)
        self._lines.put(None)

    @property
    def pid(self) -> int:
        """The process's number, which is its group's, too."""
        return self._process.pid

    def hello(self) -> Hello:
        """The child's greeting, to be waited for once; raises `ChildError` for a child that cannot work."""
        line = self._line(time.monotonic() + HELLO_SECONDS)
        if line is None:
            raise ChildError(f"torch could not be imported within {HELLO_SECONDS:.0f} s")
        try:
            hello = Hello.parse(line)
        except ProtocolError as error:
            raise ChildError(f"it does not speak as it should ({error})") from None
        if hello.problem == "no torch":
            raise NoTorchError(self.python)
        if hello.problem:
            raise ChildError(f"nothing can be verified: {hello.problem}")
        if hello.version != VERSION:
            raise ChildError(f"it speaks version {hello.version} of the protocol, not {VERSION}")
        return hello

    def send(self, request: Request) -> None:
        """Hand `request` over; raises `ChildError` when the process has ended."""
        stream: IO[bytes] | None = self._process.stdin
        assert stream is not None
        try:
            stream.write(request.line().encode())
            stream.flush()
        except OSError:
            raise ChildError(self._last_words()) from None

    def receive(self, deadline: float) -> Answer | None:
        """The next answer; None at `deadline` (of `time.monotonic`). Raises `ChildError` at its end."""
        line = self._line(deadline)
        if line is None:
            return None
        try:
            return Answer.parse(line)
        except ProtocolError as error:
            raise ChildError(f"the answer cannot be read ({error})") from None

    def _line(self, deadline: float) -> bytes | None:
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=min(_SLICE, left))
            except queue.Empty:
                if _bytes_in(self.folder) > FOLDER_BYTES:
                    raise ChildError("it filled the disk") from None
                continue
            if line is None:
                raise ChildError(self._last_words())
            return line
        return None

    def _last_words(self) -> str:
        """Why the process ended: its last line of text, or how it was ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        text = self._said.read_text(encoding="utf-8", errors="replace").strip()
        code = self._process.poll()
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return f"the process ended ({how})" + (f": {text.splitlines()[-1]}" if text else "")

    def close(self) -> None:
        """End the process and all that it started, at once, and remove its folder."""
        if sys.platform == "win32":
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()
        self._process.wait()
        _remove(self.folder)


def _bytes_in(folder: str) -> int:
    """How much the files below `folder` hold; files that vanish meanwhile count nothing."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(parent, name).lstat().st_size
    return total


def _remove(folder: str) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
