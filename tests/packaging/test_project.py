"""What packaging hangs on."""

from __future__ import annotations

import re
from importlib.metadata import metadata, version
from pathlib import Path

import lintgrad


def test_rules_are_documents_and_nothing_else(root: Path) -> None:
    # A .py file among them would break editable installs.
    files = [path for path in (root / "rules").rglob("*") if path.is_file()]

    assert files
    assert [path.name for path in files if path.suffix != ".md"] == []


def test_the_installed_version_is_the_one_of_the_source() -> None:
    assert version("lintgrad") == lintgrad.__version__


def test_the_changelog_begins_with_this_version(root: Path) -> None:
    newest = re.search(r"^## (\S+)", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert newest is not None
    assert newest[1] == lintgrad.__version__


def test_a_run_needs_three_small_libraries() -> None:
    required = metadata("lintgrad").get_all("Requires-Dist") or []
    always = {re.split(r"\W", item)[0] for item in required if ";" not in item}

    assert always == {"click", "libcst", "pathspec"}
