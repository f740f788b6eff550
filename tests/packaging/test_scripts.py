"""The scripts that the project's own checks hang on."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

import pytest

Load = Callable[[str], ModuleType]

MARKED = """\
```sh
unmarked
```
<!-- command: one -->
```sh
first &&
second
```
Text.
<!-- command: two -->

```
third
```
"""


def test_a_command_is_the_block_below_its_marker(script: Load) -> None:
    assert script("readme_command").commands(MARKED) == {"one": "first &&\nsecond", "two": "third"}


def test_the_readme_has_the_two_commands(root: Path, script: Load) -> None:
    found = script("readme_command").commands((root / "README.md").read_text(encoding="utf-8"))

    assert list(found) == ["lint", "test"]
    assert ".venv/bin/lintgrad" in found["lint"]
    assert found["test"].endswith(".venv/bin/pytest")


@pytest.mark.parametrize("wrong", [[], ["lint", "test"], ["unknown"]])
def test_an_unknown_command_is_refused(
    script: Load, wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert script("readme_command").main(wrong) == 2
    assert capsys.readouterr().err == "usage: readme_command.py {lint|test}\n"


def make_packages(folder: Path, sdist: Iterable[str], wheel: Iterable[str]) -> tuple[Path, Path]:
    source, built = folder / "x-1.tar.gz", folder / "x-1.whl"
    with tarfile.open(source, "w:gz") as archive:
        for name in sdist:
            archive.addfile(tarfile.TarInfo(f"x-1/{name}"), io.BytesIO())
    with zipfile.ZipFile(built, "w") as zipped:
        for name in wheel:
            zipped.writestr(name, "")
    return source, built


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    for name in ("lintgrad/a.py", "rules/LG1.md", "tests/t.py", ".venv/v.py", ".ruff_cache/c"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def test_complete_packages_have_no_problem(checkout: Path, tmp_path: Path, script: Load) -> None:
    packages = make_packages(
        tmp_path,
        ["PKG-INFO", "lintgrad/a.py", "rules/LG1.md", "tests/t.py"],
        ["lintgrad/a.py", "lintgrad/rules/LG1.md", "x-1.dist-info/RECORD"],
    )

    assert list(script("check_packages").problems(checkout, *packages)) == []


def test_what_packages_lack_or_have_too_much_is_named(checkout: Path, tmp_path: Path, script: Load) -> None:
    packages = make_packages(
        tmp_path, ["lintgrad/a.py", "rules/LG1.md"], ["lintgrad/a.py", "lintgrad/t.py", "rules/LG1.md"]
    )

    assert list(script("check_packages").problems(checkout, *packages)) == [
        "the source distribution lacks tests/t.py",
        "the wheel lacks lintgrad/rules/LG1.md",
        "the wheel should not have lintgrad/t.py",
        "the wheel should not have rules/LG1.md",
    ]
