"""LG112: a call that only returns a new tensor, with its result dropped."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Applicability, AssignResult, Confidence, Finding, FixPlan, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Discarded
from lintgrad.machine.values import Tensor
from lintgrad.models.tensor_ops import op_info


def check(run: Run) -> Iterator[Finding]:
    """Report pure calls that stand as statements."""
    yield from strongest(_finding(trace, event) for trace, event in run.events(Discarded))


def _finding(trace: Trace, event: Discarded) -> Finding:
    shown = f"`{event.name}.{event.method}()`" if event.name else f"`.{event.method}()`"
    in_place = op_info(event.method + "_")
    help_text = f"write `{event.name or 'x'} = {event.name or 'x'}.{event.method}(...)`"
    if (in_place is not None and in_place.inplace) or event.method == "detach":
        help_text += f", or `{event.method}_` for the in-place form"
    if event.method == "item":
        help_text = "use the number, or drop the statement: it only waits for the device"
    known = isinstance(event.receiver, Tensor) and not event.receiver.doubt
    return Finding(
        event.site,
        f"{shown} returns its result and changes nothing: the statement has no effect",
        (Step(event.site, "the result is dropped here"),),
        help=help_text,
        confidence=sure(trace, Confidence.CERTAIN if known else Confidence.LIKELY),
        fix=_fix(event),
    )


def _fix(event: Discarded) -> FixPlan | None:
    if not event.name or not event.name.replace(".", "").replace("_", "").isalnum() or event.method == "item":
        return None
    title = f"assign the result to `{event.name}`"
    return FixPlan(title, Applicability.UNSAFE, (AssignResult(event.site, event.name),))
