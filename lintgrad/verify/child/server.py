"""Answers requests: a process for each, at most some at once."""

from __future__ import annotations

import gc
import importlib
import os
import platform
import selectors
import sys
import traceback
from dataclasses import dataclass, field

from lintgrad.verify.protocol import Answer, Hello, ProtocolError, Request, Verdict

_CHUNK = 1 << 16


def serve(jobs: int) -> int:
    """Greet, then answer until stdin ends; the exit status."""
    out = os.dup(1)
    os.dup2(2, 1)  # whatever torch prints is no answer
    try:
        import torch
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "torch"
        _write(
            out, Hello(python=platform.python_version(), problem="no torch" if missing else str(error)).line()
        )
        return 1
    _warm()
    _write(out, Hello(str(torch.__version__), platform.python_version()).line())
    _Server(out, jobs).run()
    return 0


def _warm() -> None:
    """Import what the first optimizer of a process would import: seconds in each run."""
    from lintgrad.verify.child import confine, job

    importlib.import_module("torch._dynamo")
    confine.prepare()
    job.ready()
    gc.collect()
    gc.freeze()  # runs look for garbage often; torch's own million objects are none


@dataclass
class _Job:
    pid: int
    id: int
    count: int
    parts: list[bytes] = field(default_factory=list)


class _Server:
    def __init__(self, out: int, jobs: int) -> None:
        self.out = out
        self.free = max(1, jobs)
        self.waiting: list[bytes] = []
        self.rest = b""
        self.open = True
        self.selector = selectors.DefaultSelector()
        self.selector.register(0, selectors.EVENT_READ)

    def run(self) -> None:
        while self.open or self.waiting or self.selector.get_map():
            while self.waiting and self.free:
                self._start(self.waiting.pop(0))
            if not self.selector.get_map():
                continue
            for key, _ in self.selector.select():
                if key.data is None:
                    self._listen()
                else:
                    self._hear(key.fd, key.data)

    def _listen(self) -> None:
        part = os.read(0, _CHUNK)
        if not part:
            self.selector.unregister(0)
            self.open = False
            return
        *lines, self.rest = (self.rest + part).split(b"\n")
        self.waiting += [line for line in lines if line.strip()]

    def _start(self, line: bytes) -> None:
        try:
            request = Request.parse(line)
        except ProtocolError as problem:
            _write(self.out, Answer(-1, (), "", log=(str(problem),)).line())
            return
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            _be_the_job(request, writer)
        os.close(writer)
        self.free -= 1
        self.selector.register(reader, selectors.EVENT_READ, _Job(pid, request.id, len(request.findings)))

    def _hear(self, reader: int, job: _Job) -> None:
        part = os.read(reader, _CHUNK)
        if part:
            job.parts.append(part)
            return
        self.selector.unregister(reader)
        os.close(reader)
        os.waitpid(job.pid, 0)
        self.free += 1
        text = b"".join(job.parts).decode()
        _write(
            self.out,
            text or _failed(job.id, job.count, "the verifier's process ended without an answer").line(),
        )


def _be_the_job(request: Request, writer: int) -> None:
    from lintgrad.verify.child import forking, job
    from lintgrad.verify.child.confine import system

    try:
        system.die_with_parent()
        forking.adopts()
        text = job.answer(request).line()
    except BaseException as problem:  # noqa: BLE001 - it becomes the answer
        traceback.print_exc(file=sys.stderr)
        text = _failed(request.id, len(request.findings), f"the verifier failed: {problem!r}").line()
    try:
        _write(writer, text)
    finally:
        os._exit(0)


def _failed(number: int, count: int, reason: str) -> Answer:
    return Answer(number, (Verdict("inconclusive", "", reason=reason),) * count, "")


def _write(out: int, text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(out, data) :]
