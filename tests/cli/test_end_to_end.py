"""The real command with the real machine and the real rules, on a small faulty script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lintgrad.catalog import load
from lintgrad.cli import main
from lintgrad.cli.parts import real_engine
from lintgrad.config import Settings
from lintgrad.engine import DeepThread

FAULTY = """\
import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.randn(2, 4)).pow(2).mean()
loss.backward()
loss.backward()
optimizer.step()
"""

CLEAN = FAULTY.replace("loss.backward()\nloss.backward()\n", "loss.backward()\n")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faulty.py").write_text(FAULTY, encoding="utf-8")
    (tmp_path / "clean.py").write_text(CLEAN, encoding="utf-8")
    return tmp_path


def found(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, list[tuple[str, int, str]]]:
    code = main([*arguments, "--format", "json"])
    captured = capsys.readouterr()
    assert captured.err == ""
    diagnostics = json.loads(captured.out)["diagnostics"]
    return code, [(d["path"], d["line"], d["code"]) for d in diagnostics]


@pytest.mark.usefixtures("folder")
def test_a_faulty_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert found(["."], capsys) == (1, [("faulty.py", 8, "LG101")])
    assert found(["clean.py"], capsys) == (0, [])
    assert found(["faulty.py", "--ignore", "second-backward"], capsys) == (0, [])


def test_it_can_be_suppressed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suppressed = "loss.backward()  # lintgrad: ignore[second-backward] on purpose\noptimizer"
    (folder / "faulty.py").write_text(
        FAULTY.replace("loss.backward()\noptimizer", suppressed), encoding="utf-8"
    )
    assert found(["faulty.py"], capsys) == (0, [])
    (folder / "clean.py").write_text(
        CLEAN.replace("loss.backward()\noptimizer", suppressed), encoding="utf-8"
    )
    assert found(["clean.py"], capsys) == (1, [("clean.py", 7, "LG901")])


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"import torch\nx = (\n", 2),
        (b"import torch\n\xff\n", 2),
        (b"import torch\n\0\n", 2),
        (b"import torch\nx = " + b"(" * 5000 + b")" * 5000 + b"\n", 2),
        (b"import torch\nx = " + b"-" * 50_000 + b"1\n", 2),
    ],
)
def test_a_file_that_is_no_program(
    folder: Path, capsys: pytest.CaptureFixture[str], data: bytes, line: int
) -> None:
    (folder / "broken.py").write_bytes(data)
    assert found(["."], capsys) == (1, [("broken.py", line, "LG902"), ("faulty.py", 8, "LG101")])


@pytest.mark.usefixtures("folder")
def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "faulty.py"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(" ")] == ["5", "7", "8", "9"]


def test_every_rule_has_a_check_that_can_be_loaded_and_a_page() -> None:
    engine = real_engine(load())
    for rule in engine.catalog.rules:
        assert rule.code in {"LG901", "LG902"} or callable(engine.check_of(rule))
        assert engine.catalog.page(rule).startswith(f"# {rule.name} ({rule.code})\n")


def test_the_order_of_sets_does_not_show(folder: Path) -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-m", "lintgrad", "."],
            cwd=folder,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=False,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
    assert b"LG101" in outputs.pop()


WORDS = st.sampled_from(
    (
        "import torch|loss|loss.backward()|optimizer.step()|for x in y:|    |\n|(|)|def f(self, x):|return|"
        "with torch.no_grad():|if a:|else:|=|+=|model(x)|# noqa|# lintgrad: ignore[LG101]|x[0]|, |'''|\\|"
        "f'{x}'|lambda: |class A(nn.Module):|\0|yield |await |try:|except:|match x:|case _:|*x|**k|del x|"
        ".detach()|é"
    ).split("|")
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, max_size=40).map("".join))
def test_no_text_makes_it_fail(text: str) -> None:
    engine = real_engine(load())
    every = Settings(frozenset(rule.code for rule in engine.catalog.rules))
    data = f"import torch  # backward step\n{text}".encode()
    result = DeepThread().call(lambda: engine.check_source("a.py", data, every))
    assert result.failures == ()
