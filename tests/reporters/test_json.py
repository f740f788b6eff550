from __future__ import annotations

import json
from dataclasses import replace

from lintgrad.reporters import Report, render


def test_a_clean_run(empty: Report) -> None:
    assert json.loads(
        render("json", replace(empty, fixed=2, suppressed=3, failures=("a.py: LG101 crashed",)))
    ) == {
        "version": 1,
        "diagnostics": [],
        "summary": {
            "errors": 0,
            "warnings": 0,
            "infos": 0,
            "files_checked": 12,
            "files_with_findings": 0,
            "fixable": 0,
            "fixable_unsafe": 0,
            "fixed": 2,
            "suppressed": 3,
            "failures": ["a.py: LG101 crashed"],
        },
    }


def test_a_file_name_that_is_no_utf_8_survives(sample: Report) -> None:
    path = b"caf\xe9.py".decode("utf-8", "surrogateescape")
    report = replace(sample, diagnostics=(replace(sample.diagnostics[0], path=path),))
    assert json.loads(render("json", report).encode("ascii"))["diagnostics"][0]["path"] == path
