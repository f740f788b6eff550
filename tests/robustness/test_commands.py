"""The command as a process: without its streams, in odd folders, interrupted; always the same answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from lintgrad.config import FORMATS

FAULTY = """\
import torch
from torch import nn

model = nn.Linear(4, 1)
loss = model(torch.randn(2, 4)).exp().sum()
loss.backward()
loss.backward()
"""
CONCISE = "7:1: error[LG101]"

Done = subprocess.CompletedProcess[str]


def lint(folder: Path, *arguments: str, shell: str = "", **environment: str) -> Done:
    """Run the command in `folder`; `shell` has redirections of its streams."""
    command = [sys.executable, "-m", "lintgrad", *arguments]
    if shell:
        command = ["sh", "-c", f'exec "$@" {shell}', "sh", *command]
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    return done


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "faulty.py").write_text(FAULTY, "utf-8")
    return tmp_path


posix = pytest.mark.skipif(os.name != "posix", reason="about POSIX shells, links and signals")


# --- streams ------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    ("arguments", "shell", "error"),
    [
        (["faulty.py"], ">&-", "standard output is closed"),
        (["rules"], ">&-", "standard output is closed"),
        (["-"], "<&-", "standard input is closed"),
        pytest.param(
            ["faulty.py"],
            ">/dev/full",
            "standard output cannot be written: No space left on device",
            marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full"),  # noqa: PTH110
        ),
    ],
)
def test_a_stream_that_is_not_there(folder: Path, arguments: Sequence[str], shell: str, error: str) -> None:
    done = lint(folder, *arguments, shell=shell)
    assert (done.returncode, done.stderr) == (2, f"lintgrad: error: {error}\n")


@posix
def test_a_reader_who_has_gone_away_is_no_error(folder: Path) -> None:
    done = lint(folder, "rules", shell="| true")
    assert (done.returncode, done.stderr) == (0, "")
    assert lint(folder, "faulty.py", shell="2>&-").returncode == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_encoding_that_cannot_write_all(folder: Path, encoding: str) -> None:
    (folder / "größe_模型.py").write_text(FAULTY.replace("model", "模型"), "utf-8")
    done = lint(folder, "--format", "concise", PYTHONIOENCODING=encoding)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) >= 2


# --- folders ------------------------------------------------------------------------------------


@posix
def test_the_current_folder_is_gone(folder: Path) -> None:
    gone = folder / "gone"
    gone.mkdir()
    package = Path(__file__).parents[2]
    script = f'rmdir "{gone}"; exec "$@"'
    for arguments in (["."], [str(folder / "faulty.py")], ["-"]):
        done = subprocess.run(
            ["sh", "-c", script, "sh", sys.executable, "-m", "lintgrad", *arguments],
            cwd=gone,
            env=os.environ | {"PYTHONPATH": str(package)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        expected = "lintgrad: error: the current folder does not exist any more\n"
        assert (done.returncode, done.stderr) == (2, expected)
        gone.mkdir()


@posix
def test_a_folder_of_odd_things(folder: Path) -> None:
    (folder / "package.py").mkdir()
    (folder / "package.py" / "inner.py").write_text(FAULTY, "utf-8")
    (folder / "circle").symlink_to(".")
    (folder / "loop.py").symlink_to("loop.py")
    (folder / "nowhere.py").symlink_to("missing.py")
    os.mkfifo(folder / "pipe.py")
    (folder / ("n" * 250 + ".py")).write_text(FAULTY, "utf-8")
    (folder / "two\nlines.py").write_text(FAULTY, "utf-8")
    odd = os.fsencode(folder) + b"/\xff\xe9.py"
    try:
        with open(odd, "wb") as file:  # noqa: PTH123  a name of bytes
            file.write(FAULTY.encode())
    except OSError:  # the file system wants names in UTF-8
        odd = b""
    for style in FORMATS:
        done = lint(folder, ".", "--format", style)
        assert (done.returncode, done.stderr) == (1, "")
    done = lint(folder, ".", "--format", "concise")
    assert done.stdout.count(CONCISE) == 4 + bool(odd)


@posix
def test_named_things_that_are_no_files(folder: Path) -> None:
    (folder / "loop.py").symlink_to("loop.py")
    done = lint(folder, "loop.py", "--format", "concise")
    assert done.returncode == 1
    assert "the file cannot be read" in done.stdout
    assert lint(folder, "/dev/zero").returncode == 0
    done = lint(folder, "missing.py")
    assert (done.returncode, done.stderr) == (2, "lintgrad: error: missing.py: no such file or folder\n")


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may read and write everything")
def test_what_may_not_be_read_or_written(folder: Path) -> None:
    (folder / "faulty.py").chmod(0)
    assert "cannot be read: permission denied" in lint(folder, "faulty.py").stdout
    folder.chmod(0o500)
    assert lint(folder, "-o", "new/out.txt", ".").returncode == 2


# --- usage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--select", ""], "--select names no rule"),
        (["--select", ",,"], "--select names no rule"),
        (["--select", "LG1, nope"], "unknown rule 'nope'"),
        (["--ignore", "LG9999"], "unknown rule 'LG9999'"),
        (["--jobs", "0"], "Invalid value for '--jobs'"),
        (["--format", "xml"], "Invalid value for '--format'"),
        (["--isolated", "--config", "x.toml"], "--isolated and --config exclude each other"),
        (["--config", "missing.toml"], "missing.toml: No such file or directory"),
        (["--config", "."], "Is a directory"),
        (["--config", "broken.toml"], "broken.toml:"),
        (["--config", "bytes.toml"], "bytes.toml: "),
        (["--output-file", "."], ".: cannot be written"),
        (["--output-file", "faulty.py/out"], "faulty.py/out: cannot be written"),
        (["-"], "standard input (-) cannot be linted together with other paths"),
        (["--no-such-option"], "No such option '--no-such-option'"),
    ],
)
def test_what_cannot_be_done_is_said(folder: Path, arguments: Sequence[str], error: str) -> None:
    (folder / "broken.toml").write_text("[tool.lintgrad\n", "utf-8")
    (folder / "bytes.toml").write_bytes(b"\xff\xfe\0")
    done = lint(folder, *arguments, "faulty.py")
    assert done.returncode == 2
    assert error in done.stderr.replace("Error: ", "")
    assert done.stdout == ""


def test_options_that_leave_nothing(folder: Path) -> None:
    for arguments in (["--select", "LG1", "--ignore", "LG101"], ["--exclude", "**", "--force-exclude"]):
        done = lint(folder, *arguments, "faulty.py")
        assert (done.returncode, done.stderr) == (0, "")


# --- always the same ----------------------------------------------------------------------------


def test_the_answer_hangs_on_nothing_else(folder: Path) -> None:
    root = Path(__file__).parents[2]
    for number, path in enumerate(sorted((root / "fixtures").rglob("*.py"))[::7][:30]):
        (folder / f"{number:02}_{path.name}").write_bytes(path.read_bytes())
    outputs = {
        lint(
            folder, ".", "--format", "json", "--confidence", "possible", "--jobs", jobs, PYTHONHASHSEED=seed
        ).stdout
        for jobs, seed in (("1", "0"), ("1", "1"), ("2", "2"), ("3", "3"))
    }
    assert len(outputs) == 1
    assert outputs.pop().count("LG101") > 1


# --- interrupted --------------------------------------------------------------------------------


def _group(number: int) -> list[str]:
    """The processes of the group that still run."""
    table = subprocess.run(["ps", "-eo", "pgid,stat,pid"], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in table.splitlines()[1:]]
    return [pid for group, state, pid in rows if group == str(number) and "Z" not in state]


def _until(condition: bool, group: int, seconds: float) -> bool:
    """Whether the group comes to have several processes (or none) within the time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition == (len(_group(group)) > 2) and (condition or not _group(group)):
            return True
        time.sleep(0.1)
    return False


@posix
@pytest.mark.parametrize("how", ["interrupt all", "interrupt", "terminate", "kill"])
def test_no_process_is_left(folder: Path, how: str) -> None:
    slow = "for x in y:\n" + "    model(x).sum().backward()\n" * 1200
    for number in range(40):
        (folder / f"slow_{number:02}.py").write_text(FAULTY + slow, "utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "lintgrad", ".", "--jobs", "2"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert _until(True, process.pid, 30), "the pool did not start"
        time.sleep(0.3)
        match how:
            case "interrupt all":
                os.killpg(process.pid, signal.SIGINT)
            case "interrupt":
                process.send_signal(signal.SIGINT)
            case "terminate":
                process.terminate()
            case _:
                process.kill()
        _, errors = process.communicate(timeout=20)
        assert _until(False, process.pid, 20), "processes are left"
    finally:
        for pid in _group(process.pid):
            os.kill(int(pid), signal.SIGKILL)
    if how.startswith("interrupt"):
        assert (process.returncode, errors) == (130, "\nlintgrad: error: interrupted\n")
