"""Every format of the sample report equals its file in snapshots/; `pytest --update` rewrites them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lintgrad.reporters import FORMATS, Report, render

Snapshot = Callable[[str, str], None]

FILES = {
    "text": "sample.txt",
    "concise": "sample.concise.txt",
    "json": "sample.json",
    "sarif": "sample.sarif",
    "github": "sample.github.txt",
    "jsonl": "sample.jsonl",
    "gitlab": "sample.gitlab.json",
    "junit": "sample.junit.xml",
    "rdjson": "sample.rdjson",
    "sonar": "sample.sonar.json",
    "markdown": "sample.markdown.txt",
}


def test_every_format_has_a_snapshot() -> None:
    files = {*FILES.values(), "color.txt"}
    assert FILES.keys() == FORMATS.keys()
    assert {file.name for file in (Path(__file__).parent / "snapshots").iterdir()} == files


@pytest.mark.parametrize("name", FILES)
def test_sample(name: str, sample: Report, snapshot: Snapshot) -> None:
    snapshot(FILES[name], render(name, sample))


def test_color(sample: Report, snapshot: Snapshot) -> None:
    snapshot("color.txt", render("text", replace(sample, color=True)))


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"text"}))
def test_only_text_is_colored(name: str, sample: Report) -> None:
    assert render(name, replace(sample, color=True)) == render(name, sample)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_order_is_that_of_the_report_and_the_end_a_line_feed(name: str, sample: Report) -> None:
    rendered = render(name, sample)
    assert rendered.endswith("\n")
    assert not rendered.endswith("\n\n")
    assert all(line == line.rstrip() for line in rendered.split("\n"))
