"""Nothing that a run has started outlives it, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"),
]

ENDLESS = """\
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = 10 ** 9
sum(range(x ** 2))
for _ in range(4):
    model(torch.ones(8, 4)).mean().backward()
    optimizer.step()
"""


def parent_of(pid: str) -> str:
    """The parent's number; empty for a process that is gone."""
    try:
        stat = Path("/proc", pid, "stat").read_text(encoding="utf-8")
    except OSError:
        return ""
    state, parent = stat.rpartition(")")[2].split()[:2]
    return "" if state == "Z" else parent


def descendants(pid: int) -> list[str]:
    """All processes below `pid`."""
    parents = {p.name: parent_of(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()}
    found = [str(pid)]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def wait_for(what: object, seconds: float = 60.0) -> None:
    assert callable(what)
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)


def using_processor(pid: str) -> bool:
    """Whether the process has run long enough to be in the program."""
    try:
        fields = Path("/proc", pid, "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return False
    return int(fields[11]) / os.sysconf("SC_CLK_TCK") > 0.3


# A shell that runs the tests in the background has them ignore interrupts; a terminal does not.
LISTENING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from lintgrad.cli import main
sys.exit(main())
"""


@pytest.fixture
def under_way(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[str]]]:
    """`lintgrad verify` while it runs a program without end, and the processes that it has started."""
    (tmp_path / "train.py").write_text(ENDLESS, encoding="utf-8")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", LISTENING, "verify", "--isolated", "train.py"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        # lintgrad, the server, the request's process, the run
        wait_for(lambda: len(descendants(process.pid)) >= 3)
        started = descendants(process.pid)
        wait_for(lambda: using_processor(started[-1]), 20.0)
        try:
            yield process, started
        finally:
            process.kill()


def test_ctrl_c(under_way: tuple[subprocess.Popen[bytes], list[str]], tmp_path: Path) -> None:
    process, started = under_way
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (130, b"")
    assert err.endswith(b"lintgrad: error: interrupted\n")
    wait_for(lambda: not any(map(parent_of, started)), 5.0)
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends orphans on Linux alone")
def test_being_killed(under_way: tuple[subprocess.Popen[bytes], list[str]]) -> None:
    process, started = under_way
    process.kill()
    process.wait(10)
    wait_for(lambda: not any(map(parent_of, started)), 5.0)
