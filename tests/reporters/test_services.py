"""The formats of services: what their readers insist on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from lintgrad.diagnostics import Applicability, Edit, Fix, Severity, Span
from lintgrad.reporters import Report, render
from lintgrad.reporters.markdown import LIMIT, escaped
from tests.reporters.conftest import ROOT, SECOND_BACKWARD, TRAIN, TRAIN_TEXT


def one(text: str, span: Span, **changes: Any) -> Report:
    """A report of one finding at `span` of a file that holds `text`."""
    d = replace(SECOND_BACKWARD, path="a.py", span=span, notes=(), fix=None, **changes)
    return Report((d,), ROOT, "1", texts={"a.py": text})


# --- gitlab --------------------------------------------------------------------------------------


def test_gitlab_of_a_clean_run_is_an_empty_list(empty: Report) -> None:
    assert render("gitlab", empty) == "[]\n"


def test_gitlab_keeps_fingerprints_when_lines_move(sample: Report) -> None:
    moved = replace(SECOND_BACKWARD, span=replace(SECOND_BACKWARD.span, line=13, end_line=13))
    before = replace(sample, diagnostics=(SECOND_BACKWARD, SECOND_BACKWARD))
    after = replace(sample, diagnostics=(moved, moved), texts={TRAIN: "\n\n\n" + TRAIN_TEXT})
    prints = [
        [issue["fingerprint"] for issue in json.loads(render("gitlab", report))] for report in (before, after)
    ]
    assert prints[0] == prints[1]
    assert len(set(prints[0])) == 2


# --- junit ---------------------------------------------------------------------------------------


def test_junit_of_a_clean_run_has_a_case_that_passed(empty: Report) -> None:
    root = ET.fromstring(render("junit", empty))
    assert dict(root.attrib) == {"name": "lintgrad", "tests": "1", "failures": "0", "errors": "0"}
    (case,) = root.iter("testcase")
    assert len(case) == 0


def test_junit_counts(sample: Report) -> None:
    root = ET.fromstring(render("junit", replace(sample, failures=("a.py: LG101 crashed",))))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("5", "3", "1")
    for suite in root:
        assert suite.get("tests") == str(len(list(suite.iter("testcase"))))
        assert suite.get("failures") == str(len(list(suite.iter("failure"))))


def test_junit_can_be_parsed_whatever_is_in_it(sample: Report) -> None:
    odd = replace(SECOND_BACKWARD, message='<&">]]>\x00\x1b\ud800\ufffe', path="a\udcff\x01.py")
    root = ET.fromstring(render("junit", replace(sample, diagnostics=(odd,))))
    (failure,) = root.iter("failure")
    assert failure.get("message") == '<&">]]>\ufffd\ufffd\ufffd\ufffd'


# --- columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "utf8", "utf16"), [("", 0, 0), ("é", 2, 1), ("判", 3, 1), ("🔥", 4, 2), ("\t", 1, 1)]
)
def test_columns_in_the_units_of_each(before: str, utf8: int, utf16: int) -> None:
    report = one(f"{before}x = 1\n", Span(1, len(before) + 1, 1, len(before) + 2))
    (found,) = json.loads(render("rdjson", report))["diagnostics"]
    assert found["location"]["range"] == {
        "start": {"line": 1, "column": utf8 + 1},
        "end": {"line": 1, "column": utf8 + 2},
    }
    (issue,) = json.loads(render("sonar", report))["issues"]
    assert issue["primaryLocation"]["textRange"] == {
        "startLine": 1,
        "endLine": 1,
        "startColumn": utf16,
        "endColumn": utf16 + 1,
    }


@pytest.mark.parametrize("span", [Span(1, 1, 1, 1), Span(7, 1, 7, 4), Span(2, 1, 2, 1)])
def test_sonar_gets_no_range_that_would_fail_the_scan(span: Span) -> None:
    (issue,) = json.loads(render("sonar", one("x = 1\n", span)))["issues"]
    assert issue["primaryLocation"]["textRange"] == {"startLine": span.line}


def test_sonar_knows_the_rule_of_every_issue(sample: Report) -> None:
    log = json.loads(render("sonar", sample))
    assert {issue["ruleId"] for issue in log["issues"]} == {rule["id"] for rule in log["rules"]}


def test_rdjson_suggests_only_what_is_whole_by_itself() -> None:
    report = one("x = 1\n", Span(1, 1, 1, 2))
    edit = Edit(Span(1, 1, 1, 2), "y")
    for applicability, edits, suggested in (
        (Applicability.SAFE, (edit,), True),
        (Applicability.UNSAFE, (edit, edit), False),
        (Applicability.DISPLAY, (edit,), False),
    ):
        d = replace(report.diagnostics[0], fix=Fix("rename", applicability, edits))
        (found,) = json.loads(render("rdjson", replace(report, diagnostics=(d,))))["diagnostics"]
        assert ("suggestions" in found) is suggested


# --- jsonl ---------------------------------------------------------------------------------------


def test_jsonl_holds_what_json_holds(sample: Report) -> None:
    lines = [json.loads(line) for line in render("jsonl", sample).splitlines()]
    whole = json.loads(render("json", sample))
    assert [line.pop("kind") for line in lines] == [*["diagnostic"] * len(sample.diagnostics), "summary"]
    assert lines == [*whole["diagnostics"], {"version": whole["version"], **whole["summary"]}]


# --- markdown ------------------------------------------------------------------------------------


def test_markdown_escapes_prose_and_leaves_code() -> None:
    assert escaped("`a_b*` is_not <b> [x](y)") == "`a_b*` is\\_not \\<b\\> \\[x\\](y)"
    assert escaped("a ` alone") == "a \\` alone"


def test_markdown_of_code_with_backticks() -> None:
    assert "\n````python\nx = '```'\n````\n" in render("markdown", one("x = '```'\n", Span(1, 1, 1, 2)))


def test_markdown_stays_below_what_github_takes() -> None:
    report = one("x = 1\n", Span(1, 1, 1, 2), message="m" * 9_000, severity=Severity.ERROR)
    text = render("markdown", replace(report, diagnostics=report.diagnostics * 200))
    assert len(text.encode()) < LIMIT + 100
    shown = text.count("\n#### ")
    assert 90 < shown < 200
    assert text.endswith(f"\n{200 - shown} more findings not shown here.\n")
