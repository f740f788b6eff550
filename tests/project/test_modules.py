"""Which file an import means."""

from __future__ import annotations

from pathlib import Path

import pytest

from lintgrad.project.modules import Modules, imported_names


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a package, a source folder, scripts, a namespace package and a stray module."""
    names = (
        "pyproject.toml",
        "src/lab/__init__.py",
        "src/lab/nets.py",
        "src/lab/deep/__init__.py",
        "src/lab/deep/blocks.py",
        "scripts/train.py",
        "scripts/helper.py",
        "tools/plain/one.py",
        "models.py",
        "data/only.csv",
    )
    for name in names:
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "outside.py").touch()
    return tmp_path / "project"


@pytest.mark.parametrize(
    ("importer", "name", "expected"),
    [
        ("scripts/train.py", "helper", "scripts/helper.py"),
        ("scripts/train.py", "models", "models.py"),
        ("scripts/train.py", "lab", "src/lab/__init__.py"),
        ("scripts/train.py", "lab.deep.blocks", "src/lab/deep/blocks.py"),
        ("scripts/train.py", "lab.deep.missing", None),
        ("scripts/train.py", "tools.plain", "tools/plain/__init__.py"),
        ("scripts/train.py", "tools.plain.one", "tools/plain/one.py"),
        ("scripts/train.py", "data", None),
        ("scripts/train.py", "outside", None),
        ("scripts/train.py", "train", None),
        ("src/lab/deep/blocks.py", ".", "src/lab/deep/__init__.py"),
        ("src/lab/deep/blocks.py", "..nets", "src/lab/nets.py"),
        ("src/lab/deep/blocks.py", "...nets", None),
        ("src/lab/deep/blocks.py", "lab.nets", "src/lab/nets.py"),
        ("src/lab/__init__.py", ".deep", "src/lab/deep/__init__.py"),
        ("models.py", "scripts.helper", "scripts/helper.py"),
    ],
)
def test_the_file_of_an_import(project: Path, importer: str, name: str, expected: str | None) -> None:
    found = Modules().find(name, project / importer)
    assert found == (None if expected is None else project / expected)


def test_a_checkout_reaches_beyond_a_project_in_it(tmp_path: Path) -> None:
    for name in (".git/HEAD", "common.py", "inner/pyproject.toml", "inner/train.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert Modules().find("common", tmp_path / "inner" / "train.py") == tmp_path / "common.py"


def test_a_readme_marks_a_project_that_nothing_else_marks(tmp_path: Path) -> None:
    for name in ("repo/README.md", "repo/net.py", "repo/tools/deep/train.py", "above.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    script = tmp_path / "repo" / "tools" / "deep" / "train.py"
    assert Modules().find("net", script) == tmp_path / "repo" / "net.py"
    assert Modules().find("above", script) is None


def test_the_names_that_lines_import() -> None:
    text = b"""\
import os, a.b as c
from . import d, e as f
from .g import (h,
    i)
    from j.k import l  # not at the margin
x = "import no"
"""
    assert list(imported_names(text)) == [
        "os",
        "a.b",
        ".",
        ".d",
        ".e",
        ".g",
        ".g.h",
        "j.k",
        "j.k.l",
    ]
