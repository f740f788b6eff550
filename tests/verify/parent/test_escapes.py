"""Programs that try to get out of their sandbox, each with a fault that would be confirmed without that.

Every attempt stands in the program's own words, is run by real torch, and is checked from outside.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lintgrad.diagnostics import Confidence, Diagnostic, Severity, Span, Verdict, Verification
from lintgrad.verify.verifier import Settings, Verifier
from lintgrad.verify.work import FileWork

pytestmark = [pytest.mark.torch, pytest.mark.skipif(os.name == "nt", reason="there is little to hold there")]

FAULTY = """
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    model(torch.ones(8, 4)).pow(2).mean().backward()
    optimizer.step()
"""

SECONDS = 3.0


@dataclass
class Host:
    """What the programs go for: a home with a key in it, and a server that counts who connects."""

    home: Path
    port: int
    connections: list[bytes]

    @property
    def key(self) -> Path:
        return self.home / ".ssh" / "id_ed25519"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    home = tmp_path_factory.mktemp("home")
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_ed25519").write_text("very secret", encoding="utf-8")
    connections: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            try:
                while True:
                    connections.append(server.accept()[0].recv(100))
            except OSError:
                return  # closed

        threading.Thread(target=listen, daemon=True).start()
        yield Host(home, server.getsockname()[1], connections)


@pytest.fixture(scope="module")
def verifier() -> Iterator[Verifier]:
    with Verifier(Settings({"LG301": "stale-gradient"}, seconds=SECONDS)) as verifier:
        yield verifier


def verify(verifier: Verifier, attempt: str) -> Verification:
    text = attempt + FAULTY
    line = text.count("\n")
    finding = Diagnostic(
        path="train.py",
        span=Span(line, 5, line, 21),
        code="LG301",
        name="missing-zero-grad",
        severity=Severity.ERROR,
        confidence=Confidence.CERTAIN,
        message="stale",
    )
    [[verified]] = verifier.verify([FileWork("", text, (finding,))])
    assert verified.verification is not None
    return verified.verification


def test_without_an_attempt_the_fault_is_confirmed(verifier: Verifier) -> None:
    verification = verify(verifier, "")
    assert verification.verdict is Verdict.CONFIRMED, verification
    assert verification.evidence
    assert "audit" in verification.sandbox


def test_writing_to_the_home_folder(verifier: Verifier, host: Host) -> None:
    verification = verify(verifier, f"open({str(host.home / 'mine')!r}, 'w').write('x')\n")
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert f"tried to write to {host.home / 'mine'}, which the sandbox refuses" in verification.reason
    assert [entry.name for entry in host.home.iterdir()] == [".ssh"]


def test_an_attempt_that_is_caught_still_counts(verifier: Verifier, host: Host) -> None:
    attempt = f"try:\n    open({str(host.home / 'mine')!r}, 'w')\nexcept OSError:\n    pass\n"
    verification = verify(verifier, attempt)
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert "write to" in verification.reason


def test_reading_a_key_and_sending_it(verifier: Verifier, host: Host) -> None:
    attempt = f"""
import socket
try:
    key = open({str(host.key)!r}).read()
except OSError:
    key = "nothing"
socket.create_connection(("127.0.0.1", {host.port})).sendall(key.encode())
"""
    verification = verify(verifier, attempt)
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert "tried to reach the network (127.0.0.1" in verification.reason
    assert host.connections == []


def test_reading_a_key_at_all(verifier: Verifier, host: Host) -> None:
    verification = verify(verifier, f"print(open({str(host.key)!r}).read())\n")
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert f"refuses to read {host.key}" in verification.reason


def test_opening_a_socket(verifier: Verifier) -> None:
    verification = verify(verifier, "import socket\nsocket.socket().bind(('127.0.0.1', 0))\n")
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert "tried to open a socket" in verification.reason


@pytest.mark.parametrize(
    "attempt",
    [
        "import os; os.system('touch {mark}')",
        "import subprocess; subprocess.run(['touch', '{mark}'])",
        "import os; os.execv('/bin/sh', ['sh', '-c', 'touch {mark}'])",
        "import os; os.posix_spawn('/bin/sh', ['sh', '-c', 'touch {mark}'], {{}})",
        "import pty; pty.spawn(['/bin/sh'])",
    ],
)
def test_spawning_a_shell(verifier: Verifier, host: Host, attempt: str) -> None:
    mark = host.home / "spawned"
    verification = verify(verifier, attempt.format(mark=mark) + "\n")
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert "tried to start a process" in verification.reason
    assert not mark.exists()


def test_forking_without_end(verifier: Verifier) -> None:
    before = len(processes())
    verification = verify(verifier, "import os\nwhile True:\n    os.fork()\n")
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert "tried to start a process" in verification.reason
    assert len(processes()) < before + 5


def test_filling_the_disk(verifier: Verifier, tmp_path: Path) -> None:
    attempt = """
for i in range(1000):
    with open(f"big{i}", "wb") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
"""
    free = os.statvfs(tmp_path)
    verification = verify(verifier, attempt)
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert "OSError" in verification.reason or "out of budget" in verification.reason
    assert (free.f_bavail - os.statvfs(tmp_path).f_bavail) * free.f_frsize < 2 << 30


@pytest.mark.parametrize("attempt", ["hoard = bytearray(64 << 30)", "import torch; torch.ones(1 << 34)"])
def test_eating_memory(verifier: Verifier, attempt: str) -> None:
    verification = verify(verifier, attempt + "\n")
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert "memory" in verification.reason.lower()


def test_never_returning(verifier: Verifier) -> None:
    begun = time.monotonic()
    verification = verify(verifier, "while True:\n    pass\n")
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert "budget" in verification.reason
    assert time.monotonic() - begun < SECONDS + 6


def test_never_returning_where_no_signal_arrives(verifier: Verifier) -> None:
    """Deep in native code Python's own alarm does not come through; the process has to be killed."""
    verification = verify(verifier, "sum(range(10 ** 13))\n")
    assert verification.verdict is Verdict.INCONCLUSIVE
    assert "budget" in verification.reason


def test_the_verifier_goes_on_after_all_that(verifier: Verifier) -> None:
    verify(verifier, "import os\nos._exit(3)\n")
    assert verify(verifier, "# again\n").verdict is Verdict.CONFIRMED


def processes() -> list[str]:
    return [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()]
