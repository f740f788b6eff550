"""`lintgrad verify`, `--verify`, `--verified-only` and `--python`, on a child that needs no torch."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lintgrad.cli import main, verifying
from lintgrad.verify import verifier

UNCALLED = """\
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    model(torch.ones(8, 4)).mean().backward()
    optimizer.step  # {first}
    optimizer.step()
model.eval  # {second}
"""


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(
    fake_child: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """The command line in a folder that holds `train.py`."""
    assert fake_child.exists()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verifying, "find_spec", lambda _: object())
    write(tmp_path, "confirmed", "refuted")

    def call(*arguments: str, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main([*arguments, "--isolated"])
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return call


def write(folder: Path, first: str, second: str, name: str = "train.py") -> Path:
    path = folder / name
    path.write_text(UNCALLED.format(first=first, second=second), encoding="utf-8")
    return path


def verdicts(done: Done) -> list[tuple[int, str]]:
    return [(d["line"], d["verification"]["verdict"]) for d in json.loads(done.out)["diagnostics"]]


def test_verify_tells_before_it_runs_and_then_the_verdicts(run: Run) -> None:
    done = run("verify", "train.py")
    assert done.code == 1
    assert "= verdict: confirmed on torch 9.9: seen at line 7\n" in done.out
    assert "= verdict: refuted on torch 9.9: seen at line 9\n" in done.out
    assert done.out.endswith("; 1 confirmed, 1 refuted; 2 fixable with --fix --unsafe-fixes\n")
    first = done.err.splitlines()[0]
    assert first.startswith("lintgrad: running the code with findings in a sandbox, on torch 9.9 of ")


def test_check_verify_is_the_same(run: Run) -> None:
    assert run("check", "--verify", "train.py") == run("verify", "train.py")


def test_json_carries_the_verdicts(run: Run) -> None:
    assert verdicts(run("verify", "--format", "json", "train.py")) == [(7, "confirmed"), (9, "refuted")]


def test_a_line_of_a_file_alone(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "confirmed", "refuted", "other.py")
    done = run("verify", "--format", "json", "train.py:9", "other.py")
    assert verdicts(done) == [(7, "confirmed"), (9, "refuted"), (9, "refuted")]


def test_a_line_without_a_finding_is_told(run: Run) -> None:
    done = run("verify", "train.py:2")
    assert done.code == 0
    assert done.err == "lintgrad: warning: train.py:2: there is no finding to verify\n"


def test_a_file_may_be_called_like_a_line(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "confirmed", "refuted", "train.py:9")
    assert verdicts(run("verify", "--format", "json", "train.py:9")) == [(7, "confirmed"), (9, "refuted")]
    assert run("verify", "missing.py:9").code == 2


def test_verified_only_keeps_the_confirmed_and_counts_them_alone(run: Run, tmp_path: Path) -> None:
    assert verdicts(run("check", "--verified-only", "--format", "json", "train.py")) == [(7, "confirmed")]
    write(tmp_path, "refuted", "inconclusive")
    done = run("verify", "--verified-only", "train.py")
    assert (done.code, done.out) == (0, "No findings in 1 file\n")


@pytest.mark.usefixtures("run")
def test_show_prints_verdicts_behind_what_was_understood(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "--verify", "train.py"]) == 0
    shown = capsys.readouterr().out

    assert shown.startswith("<module>, path 1\n")
    told = shown.partition("\n\n")[2].splitlines()
    assert [line.split()[:4] for line in told if line[5].isdigit()] == [
        ["7", "uncalled-method", "(LG316)", "confirmed"],
        ["9", "uncalled-method", "(LG316)", "refuted"],
    ]


def test_nothing_is_run_and_nothing_said_where_there_is_nothing_to_verify(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clean.py").write_text("import torch\n", encoding="utf-8")
    forbid_children(monkeypatch)
    assert run("verify", "clean.py") == Done(0, "No findings in 1 file\n", "")


def test_check_alone_never_runs_anything(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_children(monkeypatch)
    monkeypatch.setattr(verifying, "find_spec", lambda _: None)
    assert run("check", "train.py").code == 1


def forbid_children(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a child was started")

    monkeypatch.setattr(verifier, "Child", never)


def test_without_torch_one_line_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifying, "find_spec", lambda _: None)
    done = run("verify", "train.py")
    assert (done.code, done.out) == (2, "")
    [line] = done.err.splitlines()
    assert "has no torch to verify on: `pip install 'lintgrad[verify]'`" in line


def test_an_interpreter_without_torch_is_told_the_same(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "problem:no torch")
    done = run("verify", "--python", sys.executable, "train.py")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"lintgrad: error: {sys.executable} has no torch to verify on")


def test_an_interpreter_that_is_not_there(run: Run) -> None:
    done = run("verify", "--python", "/nowhere/python", "train.py")
    assert done.code == 2
    assert "--python: '/nowhere/python' is no program" in done.err


def test_a_weaker_sandbox_is_told_once(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "confirmed", "refuted", "other.py")
    done = run("verify", "train.py", "other.py")
    assert done.err.count("the sandbox is weaker here, without landlock and seccomp") == 1


def test_fix_and_verify_apply_verified_fixes_alone(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "confirmed, verifiable", "confirmed")
    done = run("check", "--fix", "--unsafe-fixes", "--verify", "train.py")
    text = path.read_text(encoding="utf-8")
    assert "    optimizer.step()  # confirmed, verifiable\n" in text
    assert "model.eval  # confirmed\n" in text
    assert "= fix: not verified: it is as before\n" in done.out
    assert "1 fixed" in done.out


def test_a_diff_shows_verified_fixes_alone(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "confirmed, verifiable", "confirmed")
    done = run("verify", "--diff", "--unsafe-fixes", "train.py")
    assert "+    optimizer.step()" in done.out
    assert "model.eval()" not in done.out
    assert "    optimizer.step  #" in path.read_text(encoding="utf-8")


def test_standard_input(run: Run) -> None:
    done = run("verify", "--format", "json", "-", stdin=UNCALLED.format(first="confirmed", second="x"))
    assert verdicts(done) == [(7, "confirmed"), (9, "inconclusive")]


def test_what_is_refused_is_the_reason(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "confirmed", "confirmed")
    path.write_text("# refused start a process (sh)\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    done = run("verify", "train.py")
    assert done.out.count("verdict: inconclusive: the program tried to start a process (sh)") == 2
