"""How each format tells what running the program has shown."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from lintgrad.diagnostics import Diagnostic, Verdict, Verification
from lintgrad.reporters import Report, render

CONFIRMED = Verification(
    Verdict.CONFIRMED,
    "raises",
    evidence="RuntimeError at line 10: Trying to backward through the graph a second time",
    seconds=0.23456,
    torch="2.9.1+cpu",
    how="file",
    fix="verified",
    sandbox=("landlock 7", "seccomp"),
)
REFUTED = Verification(
    Verdict.REFUTED,
    "retained-in-loop",
    evidence="a later backward of the same turn needs the graph",
    torch="2.9.1",
    how="function",
    fix="unverified",
    fix_reason="line 15 raises RuntimeError",
)
UNCLEAR = Verification(
    Verdict.INCONCLUSIVE, "none-yet", reason="line 2 was not reached [here](1)", torch="2.9.1"
)


def given(report: Report, *verifications: Verification | None) -> Report:
    """The report whose first diagnostics have these verifications."""
    found = list(report.diagnostics)
    for place, verification in enumerate(verifications):
        found[place] = replace(found[place], verification=verification)
    return replace(report, diagnostics=tuple(found))


@pytest.fixture
def verified(sample: Report) -> Report:
    order = {"LG101": CONFIRMED, "LG103": REFUTED, "LG502": UNCLEAR}
    return given(sample, *(order.get(diagnostic.code) for diagnostic in sample.diagnostics))


def only(report: Report, code: str) -> Report:
    found: tuple[Diagnostic, ...] = tuple(d for d in report.diagnostics if d.code == code)
    return replace(report, diagnostics=found)


def test_text_says_what_was_seen_and_what_the_fix_does(verified: Report) -> None:
    text = render("text", only(verified, "LG101"))
    assert "= verdict: confirmed on torch 2.9.1: RuntimeError at line 10: Trying to backward through" in text
    assert "= fix: verified: with it the fault is gone and nothing new goes wrong" in text
    assert text.endswith("; 1 confirmed; 1 fixable with --fix --unsafe-fixes\n")


def test_text_says_that_stand_ins_were_used_and_why_a_fix_is_not_verified(verified: Report) -> None:
    text = " ".join(render("text", only(verified, "LG103")).split())
    assert "refuted on torch 2.9.1, with stand-ins for what the file lacks: a later backward" in text
    assert "= fix: not verified: line 15 raises RuntimeError" in text


def test_text_gives_the_reason_of_what_is_inconclusive(verified: Report) -> None:
    assert "= verdict: inconclusive: line 2 was not reached" in render("text", only(verified, "LG502"))


def test_the_summary_counts_verdicts(verified: Report) -> None:
    assert "; 1 confirmed, 1 refuted, 1 inconclusive; " in render("text", verified).splitlines()[-1]


def test_concise_lines_end_with_the_verdict(verified: Report) -> None:
    ends = [line.rpartition(" ")[2] for line in render("concise", verified).splitlines()]
    assert sorted(end for end in ends if end.startswith("[")) == [
        "[confirmed]",
        "[inconclusive]",
        "[refuted]",
    ]


def test_json_has_an_object_or_null(verified: Report) -> None:
    found = {d["code"]: d["verification"] for d in json.loads(render("json", verified))["diagnostics"]}
    assert found["LG902"] is None
    assert found["LG101"] == {
        "verdict": "confirmed",
        "oracle": "raises",
        "evidence": "RuntimeError at line 10: Trying to backward through the graph a second time",
        "reason": "",
        "seconds": 0.235,
        "torch": "2.9.1+cpu",
        "how": "file",
        "fix": "verified",
        "fix_reason": "",
        "sandbox": ["landlock 7", "seccomp"],
    }


def test_sarif_has_it_in_the_message_and_the_properties(verified: Report) -> None:
    results = json.loads(render("sarif", verified))["runs"][0]["results"]
    found = {result["ruleId"]: result for result in results}
    assert found["LG101"]["message"]["text"].endswith(
        "Confirmed on torch 2.9.1: RuntimeError at line 10: Trying to backward through the graph a second"
        " time."
    )
    assert found["LG101"]["properties"]["verification"]["verdict"] == "confirmed"
    assert "verification" not in found["LG902"]["properties"]


def test_a_reason_is_no_link_in_sarif(verified: Report) -> None:
    result = json.loads(render("sarif", only(verified, "LG502")))["runs"][0]["results"][0]
    assert "\\[here\\](1)" in result["message"]["text"]


def test_github_has_it_in_the_message(verified: Report) -> None:
    assert "%0Averdict: confirmed on torch 2.9.1: RuntimeError" in render("github", only(verified, "LG101"))
