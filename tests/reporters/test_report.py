from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from lintgrad.diagnostics import Applicability, Severity
from lintgrad.reporters import Report, UnknownFormatError, render


def test_unknown_format_names_the_known_ones(empty: Report) -> None:
    with pytest.raises(KeyError) as caught:
        render("yaml", empty)
    assert isinstance(caught.value, UnknownFormatError)
    assert str(caught.value) == (
        "unknown output format 'yaml'; known are text, concise, json, jsonl, sarif, github, gitlab, junit,"
        " rdjson, sonar, markdown"
    )


def test_counts(sample: Report) -> None:
    assert [sample.count(severity) for severity in Severity] == [2, 1, 1]
    assert [sample.fixable(a) for a in Applicability] == [1, 1, 0]
    assert sample.files_with_findings == 3


def test_a_clean_run_in_the_formats_of_lines(empty: Report) -> None:
    assert render("concise", empty) == ""
    assert render("github", empty) == ""
    assert render("text", empty) == "No findings in 12 files\n"


@pytest.mark.parametrize(
    ("codes", "fixed", "expected"),
    [
        ({"LG101"}, 0, "1 error in 1 file (12 checked); 1 fixable with --fix --unsafe-fixes"),
        ({"LG103"}, 2, "1 warning in 1 file (12 checked); 2 fixed; 1 fixable with --fix"),
        (
            {"LG101", "LG103"},
            0,
            "1 error, 1 warning in 1 file (12 checked); 1 fixable with --fix, 1 more with --unsafe-fixes",
        ),
        ({"LG502"}, 0, "1 info in 1 file (12 checked)"),
        (set(), 1, "No findings in 12 files; 1 fixed"),
    ],
)
def test_summary(sample: Report, codes: set[str], fixed: int, expected: str) -> None:
    kept = tuple(d for d in sample.diagnostics if d.code in codes)
    rendered = render("text", replace(sample, diagnostics=kept, fixed=fixed))
    assert rendered.splitlines()[-1] == expected


def test_a_format_imports_nothing_that_others_need() -> None:
    program = (
        "import sys, lintgrad.reporters as r, pathlib;"
        "r.render('concise', r.Report(diagnostics=(), root=pathlib.Path('/'), version='1'));"
        "costly = ('libcst', 'torch', 'lintgrad.reporters.sarif');"
        "print([name for name in costly if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
