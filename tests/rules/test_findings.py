"""What lintgrad says of each example: the marked lines and no other, in good words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lintgrad.catalog import ENGINE_CODES

if TYPE_CHECKING:
    from tests.rules.conftest import Case, Linter


def test_findings_are_the_marks(case: Case, linter: Linter) -> None:
    found = sorted((d.span.line, d.code) for d in linter.diagnostics(case))

    assert found == sorted((mark.line, mark.code) for mark in case.program.marks if mark.kind != "miss")


def test_messages_have_the_form(case: Case, linter: Linter) -> None:
    for diagnostic in linter.diagnostics(case):
        texts = [diagnostic.message, *(note.message for note in diagnostic.notes)]
        texts += [diagnostic.help] * bool(diagnostic.help)
        texts += [] if diagnostic.fix is None else [diagnostic.fix.title]
        assert [text for text in texts if not re.match(r"[a-z`]", text) or text.endswith(".")] == []
        if diagnostic.code not in ENGINE_CODES:
            assert "`" in diagnostic.message
            assert diagnostic.help


def test_paths_lead_past_the_finding(case: Case, linter: Linter) -> None:
    for diagnostic in linter.diagnostics(case):
        if diagnostic.notes:
            assert diagnostic.span in [note.span for note in diagnostic.notes]
