"""LG603: a loss on logarithms of probabilities is given something else."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._contents import NAMES, finding, given
from lintgrad.checks._paths import strongest
from lintgrad.diagnostics import Finding
from lintgrad.machine import Run
from lintgrad.machine.contents import Kind

_NO_LOGARITHMS: tuple[Kind, ...] = ("scores", "probabilities", "sigmoids")


def check(run: Run) -> Iterator[Finding]:
    """Report inputs of the negative log-likelihood and of the KL divergence that are no logarithms."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event, content in given(run, ("nll_loss", "kl_div"), _NO_LOGARITHMS):
        message = (
            f"{NAMES[event.loss]} takes logarithms of probabilities and gets {content.kind} of "
            f"`{content.op}`: it raises nothing, and falls without end or to the wrong place"
        )
        cure = "apply `log_softmax` to the scores, or use cross entropy, which does so itself"
        yield finding(trace, event, content, message, at=event.site, cure=cure)
