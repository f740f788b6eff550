from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lintgrad.diagnostics import Confidence, Diagnostic, Severity, Span
from lintgrad.reporters import Report, render
from lintgrad.reporters.github import escape_message, escape_property


def finding(severity: Severity, line: int = 1, path: str = "a.py") -> Diagnostic:
    span = Span(line, 1, line, 4)
    return Diagnostic(path, span, "LG101", "second-backward", severity, Confidence.CERTAIN, "breaks")


def commands(*diagnostics: Diagnostic, cwd: Path | None = None) -> list[str]:
    report = Report(diagnostics=diagnostics, root=Path("/repo"), version="1", cwd=cwd)
    return render("github", report).splitlines()


@pytest.mark.parametrize(
    ("text", "message", "value"),
    [
        ("50%: a, b", "50%25: a, b", "50%25%3A a%2C b"),
        ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
        ("%0A", "%250A", "%250A"),
    ],
)
def test_escaping(text: str, message: str, value: str) -> None:
    assert escape_message(text) == message
    assert escape_property(text) == value


def test_a_command_on_one_line() -> None:
    assert commands(finding(Severity.INFO, path="a:b,c.py")) == [
        "::notice file=a%3Ab%2Cc.py,line=1,endLine=1,col=1,endColumn=4,title=LG101 second-backward::breaks"
    ]


def test_several_lines_have_no_columns() -> None:
    d = replace(finding(Severity.ERROR), span=Span(1, 5, 3, 2))
    assert commands(d) == ["::error file=a.py,line=1,endLine=3,title=LG101 second-backward::breaks"]


def test_paths_start_from_the_root() -> None:
    (below,) = commands(finding(Severity.ERROR), cwd=Path("/repo/sub dir"))
    assert below.startswith("::error file=sub dir/a.py,")
    (outside,) = commands(finding(Severity.ERROR, path="/elsewhere/a.py"))
    assert outside.startswith("::error file=/elsewhere/a.py,")


def test_the_gravest_come_first() -> None:
    mixed = [finding(s, line) for line, s in enumerate((Severity.INFO, Severity.WARNING, Severity.ERROR), 1)]
    assert [line.split(" ")[0] for line in commands(*mixed)] == ["::error", "::warning", "::notice"]


def test_the_last_line_says_how_many_github_will_not_show() -> None:
    found = [finding(Severity.ERROR, line) for line in range(1, 13)]
    found += [finding(Severity.WARNING, line) for line in range(20, 31)]
    found += [finding(Severity.INFO, line) for line in range(40, 50)]
    lines = commands(*found)
    assert len(lines) == len(found) + 1
    assert lines[-1] == (
        "lintgrad: 2 errors, 1 warning without annotation: GitHub shows 10 of each type for a step"
    )
