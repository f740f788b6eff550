"""`--output`: several formats from one run; and the summary of a job on GitHub."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lintgrad.config import FORMATS

if TYPE_CHECKING:
    from tests.cli.conftest import Lint, Write


def test_several_formats_from_one_run(lint: Lint, write: Write, tmp_path: Path) -> None:
    write("a.py", "fault(LG101)\n")
    done = lint("a.py", "--output", "concise", "--output", "sarif:out/a.sarif", "--output", "gitlab:q.json")
    assert (done.code, done.err) == (1, "")
    assert done.out == lint("a.py", "--format", "concise").out
    for form, file in (("sarif", "out/a.sarif"), ("gitlab", "q.json")):
        assert (tmp_path / file).read_text(encoding="utf-8") == lint("a.py", "--format", form).out


def test_nothing_is_printed_that_is_not_asked_for(lint: Lint, write: Write, tmp_path: Path) -> None:
    write("a.py", "fault(LG101)\n")
    assert lint("a.py", "--output", "json:a.json").out == ""
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["summary"]["errors"] == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.json", "a.py"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--output", "xml:a"], "'xml' is not one of text, concise"),
        (["--output", "json", "--output", "text:-"], "two formats cannot both go to standard output"),
        (["--output", "json:a", "--output", "text:a"], "two formats cannot both go to a"),
        (["--output", "json", "--format", "text"], "leave out --format and --output-file"),
        (["--output", "json", "-o", "a"], "leave out --format and --output-file"),
        (["--output", "json", "--diff"], "in no --output"),
    ],
)
def test_what_contradicts_itself(lint: Lint, write: Write, arguments: list[str], told: str) -> None:
    write("a.py", "fault(LG101)\n")
    done = lint("a.py", *arguments)
    assert done.code == 2
    assert told in " ".join(done.err.split())


@pytest.mark.skipif(os.name != "posix", reason="modes and pipes are POSIX's")
def test_modes_and_devices(lint: Lint, write: Write, tmp_path: Path) -> None:
    write("a.py", "fault(LG101)\n")
    (tmp_path / "kept.json").touch(0o640)
    (tmp_path / "usual").touch()
    assert lint("a.py", "--output", "json:kept.json", "--output", "text:new.txt").code == 1
    assert stat.S_IMODE((tmp_path / "kept.json").stat().st_mode) == 0o640
    assert (tmp_path / "new.txt").stat().st_mode == (tmp_path / "usual").stat().st_mode
    assert lint("a.py", "--output", "json:/dev/null").code == 1
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_the_job_summary_has_what_github_does_not_show(
    lint: Lint, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py", "fault(LG101)\n" * 12 + "fault(LG102)\n")
    page = tmp_path / "summary.md"
    page.write_text("# Before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    lint("a.py", "--format", "json")
    assert page.read_text(encoding="utf-8") == "# Before\n"
    done = lint("a.py", "--format", "github")
    assert done.out.splitlines()[-1].startswith("lintgrad: 2 errors without annotation")
    told = page.read_text(encoding="utf-8")
    assert told.startswith("# Before\n### lintgrad: findings without annotation")
    assert re.findall(r"^#### .*$", told, re.MULTILINE) == [
        "#### error LG101 first-fault: `a.py:12:1`",
        "#### error LG101 first-fault: `a.py:13:1`",
    ]


def test_without_overflow_no_summary(
    lint: Lint, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.py", "fault(LG101)\n" * 10)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    lint("a.py", "--format", "github")
    assert not (tmp_path / "summary.md").exists()


def test_every_format_through_the_command(tmp_path: Path) -> None:
    """One process writes all formats; each tells of the fault."""
    (tmp_path / "a.py").write_text(
        "import torch\nw = torch.ones(2, requires_grad=True)\nloss = w.exp().sum()\n"
        "loss.backward()\nloss.backward()\n",
        encoding="utf-8",
    )
    outputs = [word for form in FORMATS for word in ("--output", f"{form}:out/{form}")]
    done = subprocess.run(
        [sys.executable, "-m", "lintgrad", "a.py", *outputs], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    for form in FORMATS:
        text = (tmp_path / "out" / form).read_text(encoding="utf-8")
        assert "LG101" in text, form
        assert "a.py" in text, form
