"""What lintgrad says of the shipped examples, all of it, and in the README."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lintgrad.cli import main

EXPECTED = [
    ("char_rnn.py", "LG105", "loss.backward()"),
    ("gan.py", "LG301", "g_optimizer.step()"),
    ("trainer.py", "LG302", "self.optimizer.step()"),
    ("two_heads.py", "LG101", "loss.backward()"),
]

SHOWN = re.compile(r"(<!-- output: (\S+) -->\n```\n)(.*?)(^```$)", re.DOTALL | re.MULTILINE)


def test_each_faulty_example_has_its_finding_and_the_clean_one_none(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    assert main(["--isolated", "--format", "json", "examples"]) == 1

    found = [
        (Path(d["path"]).name, d["code"], line_of(root / d["path"], d["line"]))
        for d in json.loads(capsys.readouterr().out)["diagnostics"]
    ]
    assert found == EXPECTED


def line_of(path: Path, number: int) -> str:
    return path.read_text(encoding="utf-8").splitlines()[number - 1].strip()


def test_the_readme_shows_what_is_printed(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    pytestconfig: pytest.Config,
) -> None:
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    shown = SHOWN.search(text)
    assert shown is not None
    monkeypatch.chdir(root)
    main(["--isolated", shown[2]])
    printed = capsys.readouterr().out

    if pytestconfig.getoption("--update"):
        readme.write_text(SHOWN.sub(lambda m: m[1] + printed + m[4], text), encoding="utf-8")
    else:
        assert shown[3] == printed
