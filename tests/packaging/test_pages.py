"""The pages for users say what is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from lintgrad.catalog import load
from lintgrad.config import KEYS
from lintgrad.reporters import FORMATS

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md"), *ROOT.glob("rules/*.md")]
)


def without_code(markdown: str) -> str:
    return re.sub(r"^(`{3,}).*?^\1$|`[^`\n]*`", "", markdown, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = without_code(page.read_text(encoding="utf-8"))
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = [target for target in targets if target and not re.match(r"[a-z]+:", target)]

    assert [target for target in local if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "docs/rules.md"])
def test_the_table_of_rules_is_current(root: Path, name: str, script: Callable[[str], ModuleType]) -> None:
    page = root / name
    written = page.read_text(encoding="utf-8")

    assert script("generate_rules_table").with_table(page, load().rules) == written, (
        "run scripts/generate_rules_table.py"
    )


def test_each_configuration_key_is_explained_once(root: Path) -> None:
    text = (root / "docs" / "configuration.md").read_text(encoding="utf-8")

    assert re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE) == list(KEYS)


def test_each_format_is_named(root: Path) -> None:
    text = (root / "docs" / "usage.md").read_text(encoding="utf-8")

    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(FORMATS)
