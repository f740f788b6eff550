"""A child with real torch, to put requests to."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lintgrad.verify import child, protocol


class Child:
    """`python -m lintgrad.verify.child` and the lines to and from it."""

    def __init__(self, jobs: int) -> None:
        main = Path(child.__file__).with_name("__main__.py")
        self.process = subprocess.Popen(
            [sys.executable, "-I", str(main), "--jobs", str(jobs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        self.hello = protocol.Hello.parse(self.process.stdout.readline())

    def ask(self, *requests: protocol.Request) -> list[protocol.Answer]:
        """The answers to `requests`, in their order; the ids are given anew."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        for number, request in enumerate(requests):
            self.process.stdin.write(replace(request, id=number).line().encode())
            self.process.stdin.flush()
        answers = [protocol.Answer.parse(self.process.stdout.readline()) for _ in requests]
        return sorted(answers, key=lambda answer: answer.id)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


@pytest.fixture(scope="session")
def torch_child() -> Iterator[Child]:
    if not hasattr(os, "fork") or importlib.util.find_spec("torch") is None:
        pytest.skip("the child forks a process that has torch")
    running = Child(jobs=2)
    yield running
    running.close()


def ask_at(
    source: str, code: str, oracle: str, lines: Sequence[int], seconds: float = 10.0
) -> protocol.Request:
    """A request that has a file's program asked about at some lines."""
    findings = tuple(protocol.Asked(code, code.lower(), oracle, line) for line in lines)
    return protocol.Request(0, "example.py", source, findings, "file", budget=protocol.Budget(seconds))


@pytest.fixture(scope="session")
def asked() -> type[Asking]:
    return Asking


class Asking:
    """`ask_at`, for tests, which cannot import one another."""

    at = staticmethod(ask_at)
