"""LG405: the loss goes backward past the framework that was given its model."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._paths import call_of, strongest, sure
from lintgrad.diagnostics import Confidence, Finding, Severity, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Managed
from lintgrad.machine.observations import Backward
from lintgrad.machine.values import DictV, EngineV, Lit, Value

_LOST = {
    "accelerate": "the loss is neither divided by the accumulation steps nor scaled for mixed precision",
    "fabric": "the strategy and the precision that Fabric was set up with are left out",
    "deepspeed": "the loss is neither divided by the accumulation steps nor scaled for fp16",
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
        confidence=sure(trace, event.confidence, _confidence(engine)),
        severity=_severity(engine),
    )


def _confidence(engine: EngineV) -> Confidence:
    """DeepSpeed takes torch's way too since its version 0.18: but for what its configuration asks beyond."""
    if engine.kind == "deepspeed":
        return Confidence.LIKELY if _asks_for_more(engine) else Confidence.POSSIBLE
    return Confidence.CERTAIN


def _severity(engine: EngineV) -> Severity | None:
    """Accelerate and Fabric asked for nothing change nothing either, until they are started otherwise."""
    return None if engine.kind in ("deepspeed", "lightning") or _asks_for_more(engine) else Severity.WARNING


def _asks_for_more(engine: EngineV) -> bool:
    """Whether the engine was set up for accumulation or a precision in which losses are scaled."""
    config = engine.options.get("config")
    options = config.items if isinstance(config, DictV) else engine.options
    half = options.get("fp16")
    enabled = half.items.get("enabled") if isinstance(half, DictV) else None
    precision = options.get("mixed_precision") or options.get("precision")
    return (
        _more_than_one(options.get("gradient_accumulation_steps"))
        or "gradient_accumulation_plugin" in options
        or (isinstance(enabled, Lit) and bool(enabled.value))
        or (precision is not None and not (isinstance(precision, Lit) and precision.value in _PLAIN))
    )


_PLAIN = ("no", "fp32", "bf16", "32", "32-true", 32, "bf16-mixed", "bf16-true", None)


def _more_than_one(steps: Value | None) -> bool:
    """Whether `steps` is not known to be one."""
    return steps is not None and not (isinstance(steps, Lit) and steps.value in (1, None))
