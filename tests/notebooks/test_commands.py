"""Notebooks through the whole command, with the real machine."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lintgrad.cli import main
from tests.notebooks.conftest import DISCARDED, LOOP, TWICE, code, document, listed, text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faulty: bytes) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "faulty.ipynb").write_bytes(faulty)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    captured = capsys.readouterr()
    assert captured.err == ""
    return code, captured.out


def write(path: Path, *cells: dict[str, Any]) -> None:
    path.write_text(json.dumps(document(*cells), indent=1) + "\n", encoding="utf-8")


@pytest.mark.usefixtures("folder")
def test_people_are_told_the_cell(capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, out = said(capsys, ".", "--format", "text", "--color", "never")
    assert exit_code == 1
    assert " --> faulty.ipynb:cell 3:3:1\n" in out
    assert "3 | loss.backward()\n" in out
    assert said(capsys, "--format", "concise")[1].startswith("faulty.ipynb:cell 3:3:1: error[LG101] ")


def test_a_path_through_several_cells(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = "loss = model(torch.randn(2, 4)).pow(2).mean()\nloss.backward()", "loss.backward()"
    write(folder / "faulty.ipynb", code(LOOP), code(first), text("again"), code(second))
    out = said(capsys, ".", "--format", "text", "--color", "never")[1]
    arrows = [line.strip() for line in out.splitlines() if line.strip().startswith(("-->", ":::"))]
    assert arrows == [
        "--> faulty.ipynb:cell 4:1:1",
        "::: faulty.ipynb:cell 2:1:8",
        "::: faulty.ipynb:cell 4:1:1",
    ]


def test_json_has_the_cell_and_the_line_of_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(said(capsys, "--format", "json")[1])["diagnostics"][0]
    assert (found["cell"], found["line"], found["column"]) == (3, 3, 1)
    lines = (folder / "faulty.ipynb").read_text(encoding="utf-8").split("\n")
    assert [note["cell"] for note in found["path_notes"]] == [3] * len(found["path_notes"])
    assert '"loss.backward()\\n"' in lines[found["file_line"] - 1]


def test_programs_are_told_the_place_in_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (folder / "faulty.ipynb").read_text(encoding="utf-8").split("\n")
    result = json.loads(said(capsys, "--format", "sarif")[1])["runs"][0]["results"][0]
    region = result["locations"][0]["physicalLocation"]["region"]
    line = lines[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == '"loss.backward()\\n"'
    assert "(cell 3, line 3)" in result["message"]["text"]
    assert "primaryLocationLineHash" not in result["partialFingerprints"]
    out = said(capsys, "--format", "github")[1]
    assert f"file=faulty.ipynb,line={region['startLine']},endLine={region['startLine']}," in out


def test_fingerprints_stay_when_a_cell_comes_before(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def prints() -> list[str]:
        results = json.loads(said(capsys, "--format", "sarif")[1])["runs"][0]["results"]
        return [result["partialFingerprints"]["lintgrad/v1"] for result in results]

    before = prints()
    write(folder / "faulty.ipynb", text("new"), code("a = 1"), code(listed(LOOP)), code(listed(TWICE)))
    assert prints() == before


def test_a_broken_cell_is_a_finding_and_the_others_are_read(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "faulty.ipynb", code(LOOP), code("a = = b"), code(TWICE))
    out = said(capsys, "--format", "concise")[1].splitlines()
    assert [line.split(" ", 3)[:3] for line in out] == [
        ["faulty.ipynb:cell", "2:1:5:", "error[LG902]"],
        ["faulty.ipynb:cell", "3:3:1:", "error[LG101]"],
    ]


def test_what_is_no_notebook_is_a_finding(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "faulty.ipynb").write_text('{"cells": [\n "import torch", loss.backward()]}', encoding="utf-8")
    out = said(capsys, "--format", "concise")[1]
    assert out.startswith("faulty.ipynb:2:18: error[LG902] the notebook cannot be read: expecting value")


def test_a_suppression_in_a_cell(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quiet = TWICE.replace(
        "()\noptimizer", "()  # lintgrad: ignore[second-backward] shown on purpose\noptimizer"
    )
    write(folder / "faulty.ipynb", code(LOOP), code(quiet))
    assert said(capsys, "--format", "concise") == (0, "")


def test_a_value_that_is_shown_is_no_discarded_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "faulty.ipynb", code(LOOP), code("hidden = torch.zeros(1, 4)\nhidden.detach()"))
    assert said(capsys, "--format", "concise") == (0, "")
    write(folder / "faulty.ipynb", code(LOOP), code(DISCARDED))
    assert "cell 2:2:1: warning[LG112]" in said(capsys, "--format", "concise")[1]


def test_it_is_repaired(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "faulty.ipynb"
    write(path, code(LOOP), code(listed("%time x = 1\n" + DISCARDED)))
    before = path.read_bytes()
    diff = said(capsys, "--diff", "--unsafe-fixes")[1]
    assert "+++ b/faulty.ipynb:cell 2" in diff
    assert path.read_bytes() == before
    assert said(capsys, "--fix", "--unsafe-fixes", "--format", "concise") == (0, "")
    assert path.read_bytes() == before.replace(b'"hidden.detach()\\n"', b'"hidden = hidden.detach()\\n"')


@pytest.mark.usefixtures("folder")
def test_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], faulty: bytes
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(faulty)))
    out = said(capsys, "-", "--stdin-filename", "other.ipynb", "--format", "concise")[1]
    assert out.startswith("other.ipynb:cell 3:3:1: error[LG101]")


def test_a_walk_finds_notebooks_but_no_checkpoints(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "faulty-checkpoint.ipynb").write_bytes(b"{}")
    assert said(capsys, "--show-files") == (0, "faulty.ipynb\n")


@pytest.mark.usefixtures("folder")
def test_what_the_machine_understood(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "show", "faulty.ipynb")[1]
    assert any(line.lstrip().startswith("3:2 ") and "backward" in line for line in out.splitlines())


@pytest.mark.torch
@pytest.mark.usefixtures("folder")
def test_it_is_verified(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "faulty.ipynb", "--format", "concise"]) == 1
    assert "[confirmed]" in capsys.readouterr().out
