"""Each fix that may be applied gives a program that parses, and the finding is gone.

That the fault is gone, too, torch says in tests/verify.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lintgrad.catalog import SYNTAX_ERROR
from lintgrad.diagnostics import Applicability, Diagnostic
from lintgrad.documents import Document
from lintgrad.fixes import apply
from lintgrad.source import SourceFile, from_bytes

if TYPE_CHECKING:
    from tests.rules.conftest import Case, Linter


def fixed(program: bytes, diagnostic: Diagnostic) -> bytes:
    """`program` with the diagnostic's fix applied."""
    source = from_bytes(diagnostic.path, program)
    assert isinstance(source, SourceFile)
    assert diagnostic.fix is not None
    data = apply(source, [diagnostic.fix])
    assert data is not None
    return data


def test_fixes_remove_the_finding(case: Case, linter: Linter) -> None:
    program = case.program.text.encode()
    before = linter.lint(program).diagnostics
    codes = Counter(diagnostic.code for diagnostic in before)
    for diagnostic in before:
        if diagnostic.fix is None or diagnostic.fix.applicability is Applicability.DISPLAY:
            continue
        after = Counter(d.code for d in linter.lint(fixed(program, diagnostic)).diagnostics)
        assert SYNTAX_ERROR not in after
        assert after <= codes - Counter([diagnostic.code])


def test_documents_tell_of_the_fixes(document: Document, linter: Linter) -> None:
    code = document.rule.code
    programs = [document.program(example).text.encode() for example in document.of("bad")]
    found = [d for program in programs for d in linter.lint(program).diagnostics if d.code == code]

    assert any(d.fix is not None for d in found) == ("Fix" in document.sections)
