"""SARIF 2.1.0, as GitHub code scanning and editors read it.

Written for two readers at once: what GitHub ignores (fixes, context regions) is there for others, and
nothing is written that the schema or GitHub would refuse.
"""

from __future__ import annotations

from lintgrad.reporters.jsonform import Json, JsonObject, dumps
from lintgrad.reporters.locations import root_uri
from lintgrad.reporters.report import Report
from lintgrad.reporters.sarif.places import BASE, Places
from lintgrad.reporters.sarif.results import results
from lintgrad.reporters.sarif.rules import rules

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(report: Report) -> str:
    """One log with one run; a clean run has an empty list of results, which clears old alerts."""
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report)]})


def _run(report: Report) -> JsonObject:
    described = rules(report)
    indices = {code: index for index, code in enumerate(described)}
    return {
        "tool": {"driver": _driver(report, list(described.values()))},
        "automationDetails": {"id": "lintgrad/"},
        "originalUriBaseIds": {BASE: {"uri": root_uri(report)}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": results(report, Places(report), indices),
    }


def _driver(report: Report, described: list[JsonObject]) -> JsonObject:
    driver: dict[str, Json] = {"name": "lintgrad", "semanticVersion": report.version, "rules": described}
    if report.project_uri:
        driver["informationUri"] = report.project_uri
    return driver


def _invocation(report: Report) -> JsonObject:
    invocation: dict[str, Json] = {"executionSuccessful": not report.failures}
    if report.failures:
        invocation["toolExecutionNotifications"] = [
            {"level": "error", "message": {"text": failure}} for failure in report.failures
        ]
    return invocation
