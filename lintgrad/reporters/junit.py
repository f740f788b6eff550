"""JUnit's XML, which most CI services show as test results."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import PurePosixPath
from xml.etree import ElementTree as ET

from lintgrad.diagnostics import Diagnostic, Severity
from lintgrad.reporters.locations import shown_under_root
from lintgrad.reporters.report import Report
from lintgrad.reporters.spoken import spoken_lines

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""


def render(report: Report) -> str:
    """A suite for each file with findings, a case for each finding: failed, but passed where it is info.

    What lintgrad could not do are cases in error. A run with neither has one case that passed:
    dashboards take a log without any for a run that never happened.
    """
    root = ET.Element("testsuites", name="lintgrad")
    for path, found in groupby(report.diagnostics, key=lambda d: d.path):
        suite = _suite(root, shown_under_root(path, report))
        for d in found:
            _case(suite, d, report)
    if report.failures:
        suite = _suite(root, "lintgrad")
        for failure in report.failures:
            case = ET.SubElement(suite, "testcase", name="run", classname="lintgrad")
            ET.SubElement(case, "error", message=_allowed(failure))
    if not len(root):
        ET.SubElement(_suite(root, "lintgrad"), "testcase", name="no findings", classname="lintgrad")
    for suite in root:
        _count(suite, [suite])
    _count(root, list(root))
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _suite(root: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(root, "testsuite", name=_allowed(name))


def _case(suite: ET.Element, d: Diagnostic, report: Report) -> None:
    shown = PurePosixPath(shown_under_root(d.path, report))
    case = ET.SubElement(
        suite,
        "testcase",
        name=f"{d.code} {d.name}",
        classname=_allowed(shown.with_suffix("").as_posix()),
        file=_allowed(shown.as_posix()),
        line=str(d.span.line),
        column=str(d.span.column),
    )
    text = _allowed("\n".join(spoken_lines(d, report)))
    if d.severity is Severity.INFO:
        ET.SubElement(case, "system-out").text = text
    else:
        failure = ET.SubElement(case, "failure", type=d.severity.value, message=_allowed(d.message))
        failure.text = text


def _count(element: ET.Element, suites: list[ET.Element]) -> None:
    for attribute, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
        element.set(attribute, str(sum(1 for suite in suites for _ in suite.iter(tag))))


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
