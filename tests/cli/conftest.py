"""The command line, run in this process on files of the language of marks (tests/fakes/fakelint)."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from lintgrad.cli import main
from lintgrad.cli.parts import Parts


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


Lint = Callable[..., Done]
Write = Callable[[str, str], Path]


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Parts:
    monkeypatch.syspath_prepend(Path(__file__).parent.parent / "fakes")
    fakelint = import_module("fakelint")
    return Parts(fakelint.catalog, fakelint.engine)


@pytest.fixture
def lint(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Lint:
    """Run the command line in `tmp_path`."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(list(arguments), parts)
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return run


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file; a Python file begins with a line that lets it pass the gate."""

    def make(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        head = "import torch\n" if name.endswith(".py") else ""
        path.write_bytes(f"{head}{text}".encode())
        return path

    return make
