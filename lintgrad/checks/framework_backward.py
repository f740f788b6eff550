"""LG405: the loss goes backward past the framework that was given its model."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._engines import confidence_of, severity_of
from lintgrad.checks._paths import call_of, strongest, sure
from lintgrad.diagnostics import Finding, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Managed
from lintgrad.machine.observations import Backward

_LOST = {
    "accelerate": "the loss is neither divided by the accumulation steps nor scaled for mixed precision",
    "fabric": "the strategy and the precision that Fabric was set up with are left out",
    "deepspeed": "the loss is neither divided by the accumulation steps nor scaled for fp16",
    "transformers": "the loss is neither divided by the accumulation steps nor scaled for fp16",
    "lightning": "the trainer's strategy and precision are left out",
}
_WRITE = {"lightning": "manual_backward"}


def check(run: Run) -> Iterator[Finding]:
    """Report backwards that torch runs for parameters which a framework manages."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace, event in run.events(Backward):
        if event.framework or event.kind != "backward" or event.explicit_gradient:
            continue
        managed = next((leaf.managed for leaf in event.leaves if _is_managed(leaf.managed, event)), None)
        if managed is not None and managed.engine.kind in _LOST:
            yield _finding(trace, event, managed)


def _is_managed(managed: Managed | None, event: Backward) -> bool:
    return managed is not None and managed.seq < event.seq


def _finding(trace: Trace, event: Backward, managed: Managed) -> Finding:
    engine = managed.engine
    name = engine.name or engine.kind
    method = _WRITE.get(engine.kind, "backward")
    loss = event.name or "loss"
    return Finding(
        event.site,
        f"{call_of(event)} goes past `{name}`, which has prepared the model: {_LOST[engine.kind]}",
        (Step(managed.site, "the model is handed over here"), Step(event.site, "torch alone runs backward")),
        help=f"write `{name}.{method}({loss})`",
        confidence=sure(trace, event.confidence, confidence_of(engine)),
        severity=severity_of(engine),
    )
