"""The stored tables are what their scripts make of the installed torch."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
import torch

from lintgrad.models.optable import table_version

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["generate_optable", "generate_signatures"])
def test_the_stored_table_is_current(name: str) -> None:
    script = load(name)
    stored = json.loads(script.TABLE.read_text(encoding="utf-8"))
    installed = torch.__version__.partition("+")[0]
    if stored["torch"] != installed:
        pytest.skip(f"the table is of torch {stored['torch']}, {installed} is installed")
    assert script.render(script.generate()) == script.TABLE.read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["generate_optable", "generate_signatures"])
def test_check_tells_a_table_that_is_not_current(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = load(name)
    monkeypatch.setattr(script, "generate", lambda: {"torch": "0", "ops": {}, "functions": {}, "classes": {}})
    monkeypatch.setattr(script, "TABLE", tmp_path / "table.json")
    assert script.main(["--check"]) == 1
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0
    script.TABLE.write_text("{}", encoding="utf-8")
    assert script.main(["--check"]) == 1
    assert name in capsys.readouterr().err


def test_the_table_knows_the_torch_it_is_of() -> None:
    assert [part.isdigit() for part in table_version().split(".")] == [True] * 3


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
