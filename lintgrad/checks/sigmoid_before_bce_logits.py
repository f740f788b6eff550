"""LG602: a binary cross entropy gets sigmoids where it takes scores, or scores where it takes sigmoids."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._contents import NAMES, finding, given
from lintgrad.checks._paths import strongest
from lintgrad.diagnostics import Finding
from lintgrad.machine import Run
from lintgrad.machine.contents import Kind

_TAKE_SCORES = ("binary_cross_entropy_with_logits", "multilabel_soft_margin_loss")
_OUTSIDE: tuple[Kind, ...] = ("scores", "log-probabilities", "log-sigmoids")


def check(run: Run) -> Iterator[Finding]:
    """Report a sigmoid too many, and one too few."""
    yield from strongest(_too_many(run))
    yield from strongest(_too_few(run))


def _too_many(run: Run) -> Iterator[Finding]:
    for trace, event, content in given(run, _TAKE_SCORES, ("sigmoids", "probabilities")):
        message = (
            f"`{content.op}` makes {content.kind} of the scores, and {NAMES[event.loss]} takes a sigmoid of "
            "them once more: no output is ever taken as less likely than one half"
        )
        cure = "give the scores as they are, or use the loss without logits"
        yield finding(trace, event, content, message, at=content.site, cure=cure)


def _too_few(run: Run) -> Iterator[Finding]:
    for trace, event, content in given(run, ("binary_cross_entropy",), _OUTSIDE):
        message = (
            f"binary cross entropy takes values from 0 to 1 and gets {content.kind} of `{content.op}`: it "
            "raises as soon as one lies outside"
        )
        cure = "use `BCEWithLogitsLoss` (`binary_cross_entropy_with_logits`), which takes the sigmoid itself"
        yield finding(trace, event, content, message, at=event.site, cure=cure)
