"""LG302: gradients are cleared after backward and before any step has used them."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._empty_step import empty_steps
from lintgrad.checks._paths import step_of
from lintgrad.diagnostics import Finding
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run


def check(run: Run) -> Iterator[Finding]:
    """Report steps that find nothing because a clear took it away."""
    for _, event, confidence in empty_steps(run):
        clear = event.lost
        if clear is None:
            continue
        name = step_of(event.name)
        cleared = f"`{clear.name}.zero_grad()`" if clear.name else "`zero_grad()`"
        yield Finding(
            event.site,
            f"{name} finds no gradient: {cleared} has cleared what backward computed, so nothing is trained",
            (
                PathStep(clear.unused[0].backward.site, "backward adds its gradients"),
                PathStep(clear.site, "they are cleared before any step has used them"),
                PathStep(event.site, "the step finds nothing"),
            ),
            help="clear before backward, or after the step; never between the two",
            confidence=confidence,
        )
