"""The shell steps of the GitHub action, run as the runner runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.skipif(os.name != "posix" or not shutil.which("bash"), reason="needs bash")

FAULTY = """\
import torch
w = torch.ones(2, requires_grad=True)
loss = w.exp().sum()
loss.backward()
loss.backward()
"""


@pytest.fixture
def action(root: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    return loaded


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def step(
    action: dict[str, Any], index: int, folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the step in `folder` by the runner's own command for `shell: bash`."""
    file = folder.parent / "step.sh"
    file.write_text(action["runs"]["steps"][index]["run"], encoding="utf-8")
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(file)],
        cwd=folder,
        env={**os.environ, "RUNNER_TEMP": str(folder.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / "my code").mkdir(parents=True)
    (folder / "my code" / "train.py").write_text(FAULTY, encoding="utf-8")
    (folder / "clean.py").write_text("import torch\n", encoding="utf-8")
    return folder


def run(action: dict[str, Any], folder: Path, root: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    command = folder.parent / "lintgrad"
    script(command, f'PYTHONPATH="{root}" exec "{sys.executable}" -m lintgrad "$@"')
    defaults = {"LINTGRAD_PATHS": ".", "LINTGRAD_ARGS": "", "LINTGRAD_SARIF": ""}
    return step(action, 1, folder, LINTGRAD=str(command), **{**defaults, **inputs})


def test_every_input_reaches_a_step_through_the_environment(action: dict[str, Any]) -> None:
    """An expression within a script would let a branch's name run as shell."""
    values = [value for step in action["runs"]["steps"] for value in step["env"].values()]
    for name in action["inputs"]:
        assert any(f"inputs.{name} " in value for value in values), name
    assert not any("${{" in step["run"] for step in action["runs"]["steps"])


def test_annotations_and_a_log(action: dict[str, Any], folder: Path, root: Path) -> None:
    done = run(action, folder, root, LINTGRAD_SARIF="out/lint grad.sarif")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("::error file=my code/train.py,line=5,")
    log = json.loads((folder / "out" / "lint grad.sarif").read_text(encoding="utf-8"))
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["LG101"]


def test_paths_are_lines_and_options_words(action: dict[str, Any], folder: Path, root: Path) -> None:
    done = run(action, folder, root, LINTGRAD_PATHS="clean.py\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = run(
        action,
        folder,
        root,
        LINTGRAD_PATHS="clean.py\nmy code\n",
        LINTGRAD_ARGS="--exit-zero  --select LG101",
    )
    assert (done.returncode, done.stdout.count("::error")) == (0, 1)


def test_shell_in_an_input_stays_text(action: dict[str, Any], folder: Path, root: Path) -> None:
    done = run(action, folder, root, LINTGRAD_PATHS="$(touch made)", LINTGRAD_ARGS="--select=`touch made`;")
    assert done.returncode == 2
    assert not (folder / "made").exists()


def test_the_installing_step(action: dict[str, Any], folder: Path) -> None:
    """A `python3` that writes down what it is asked stands for the real one, which would need a network."""
    tools, told, env = folder.parent / "tools", folder.parent / "told", folder.parent / "env"
    scripts = folder.parent / "lintgrad" / "bin"
    script(folder.parent / "pip", f'printf "%s|" "$@" >> "{told}"')
    script(tools / "python3", f'mkdir -p "$3/bin" && cp "{folder.parent}/pip" "$3/bin/python"')
    done = step(
        action,
        0,
        folder,
        PATH=f"{tools}:{os.environ['PATH']}",
        LINTGRAD_SOURCE="/the action",
        GITHUB_ENV=str(env),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert told.read_text(encoding="utf-8").endswith("|/the action|")
    assert env.read_text(encoding="utf-8") == f"LINTGRAD={scripts}/lintgrad\n"
