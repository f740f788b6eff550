"""What the rules on criteria share: the calls of some criteria with what is known of their input."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lintgrad.checks._paths import sure
from lintgrad.diagnostics import Confidence, Finding, Site, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.contents import Content, Kind
from lintgrad.machine.losses import LossCall

NAMES = {
    "cross_entropy": "cross entropy",
    "nll_loss": "the negative log-likelihood",
    "binary_cross_entropy": "binary cross entropy",
    "binary_cross_entropy_with_logits": "binary cross entropy with logits",
    "kl_div": "the KL divergence",
    "multilabel_soft_margin_loss": "the multi-label soft margin loss",
}


def given(
    run: Run, losses: Collection[str], kinds: Collection[Kind]
) -> Iterator[tuple[Trace, LossCall, Content]]:
    """The calls of `losses` whose input is of one of `kinds`."""
    for trace, event in run.events(LossCall):
        content = event.input.content if event.input is not None else None
        if event.loss in losses and content is not None and content.kind in kinds:
            yield trace, event, content


def finding(trace: Trace, event: LossCall, content: Content, message: str, *, at: Site, cure: str) -> Finding:
    """A finding about a criterion that is given what it should not be given."""
    made = Step(content.site, f"`{content.op}` makes {content.kind}")
    fed = Step(event.site, f"{NAMES[event.loss]} is given them")
    return Finding(
        at, message, (made, fed), help=cure, confidence=sure(trace, event.confidence, Confidence.CERTAIN)
    )
