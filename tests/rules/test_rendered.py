"""The `diagnostic` blocks hold what lintgrad prints; `--update` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lintgrad import documents
from lintgrad.catalog import Catalog
from lintgrad.documents import Document, Example
from lintgrad.reporters import Report, render

if TYPE_CHECKING:
    from tests.rules.conftest import Linter


def test_rendered_output(
    document: Document, linter: Linter, catalog: Catalog, request: pytest.FixtureRequest
) -> None:
    shown = [example for example in document.examples if example.diagnostic is not None]
    rendered = {example.title: printed(document, example, linter) for example in shown}
    if request.config.getoption("--update"):
        path = Path(str(catalog.folder / document.rule.document))
        text = path.read_text(encoding="utf-8")
        path.write_text(rewritten(text, document, rendered), encoding="utf-8")
        return

    assert rendered == {e.title: e.diagnostic.text for e in shown if e.diagnostic is not None}


def printed(document: Document, example: Example, linter: Linter) -> str:
    """What lintgrad prints for an example, but for the closing summary."""
    result = linter.lint(document.program(example).text.encode())
    assert result.diagnostics, f"nothing to print for {example.title!r}"
    report = Report(result.diagnostics, root=Path("/"), version="", texts=result.texts, files_checked=1)
    return render("text", report).rpartition("\n\n")[0] + "\n"


def rewritten(text: str, document: Document, rendered: dict[str, str]) -> str:
    """The document's `text` with new output in its `diagnostic` blocks."""
    head = text[: len(text) - len(document.body)]
    lines = document.body.split("\n")
    for example in reversed(document.examples):
        block = example.diagnostic
        if block is not None:
            lines[block.start : block.end - 1] = rendered[example.title].split("\n")[:-1]
    return head + "\n".join(lines)


def test_rewriting_changes_the_blocks_alone(document: Document, catalog: Catalog) -> None:
    text = (catalog.folder / document.rule.document).read_text(encoding="utf-8")
    document = documents.parse(text, document.rule.document)  # as it is now: `--update` may have run
    old = {e.title: e.diagnostic.text for e in document.examples if e.diagnostic is not None}
    new = {title: f"error: {title}\n\n  | two\n" for title in old}
    changed_text = rewritten(text, document, new)
    changed = documents.parse(changed_text, document.rule.document)

    assert {e.title: e.diagnostic.text for e in changed.examples if e.diagnostic is not None} == new
    assert rewritten(changed_text, changed, old) == text
