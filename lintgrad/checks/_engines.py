"""What an engine of a framework was asked for, and what going past it therefore costs."""

from __future__ import annotations

from lintgrad.diagnostics import Confidence, Severity
from lintgrad.machine.engines import EngineV
from lintgrad.machine.values import DictV, Lit, Value


def confidence_of(engine: EngineV) -> Confidence:
    """DeepSpeed takes torch's way too since its version 0.18: but for what its configuration asks beyond."""
    if engine.kind == "deepspeed":
        return Confidence.LIKELY if _asks_for_more(engine) else Confidence.POSSIBLE
    return Confidence.CERTAIN


def severity_of(engine: EngineV) -> Severity | None:
    """Accelerate and Fabric asked for nothing change nothing either, until they are started otherwise."""
    return (
        None
        if engine.kind in ("deepspeed", "lightning", "transformers") or _asks_for_more(engine)
        else Severity.WARNING
    )


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


_PLAIN = ("no", "fp8", "fp32", "bf16", "32", "32-true", 32, "bf16-mixed", "bf16-true", None)


def _more_than_one(steps: Value | None) -> bool:
    """Whether `steps` is not known to be one."""
    return steps is not None and not (isinstance(steps, Lit) and steps.value in (1, None))
