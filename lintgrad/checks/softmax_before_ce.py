"""LG601: cross entropy, which takes a softmax itself, is given probabilities."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._contents import finding, given
from lintgrad.checks._paths import strongest
from lintgrad.diagnostics import Finding
from lintgrad.machine import Run


def check(run: Run) -> Iterator[Finding]:
    """Report what squashes the scores before cross entropy does."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event, content in given(run, ("cross_entropy",), ("probabilities", "sigmoids")):
        message = (
            f"`{content.op}` makes {content.kind} of the scores, and cross entropy takes a softmax of them "
            "once more: the gradients are small, and the loss never comes near zero"
        )
        cure = f"give the scores to cross entropy as they are; take the {content.op} for what is read only"
        yield finding(trace, event, content, message, at=content.site, cure=cure)
