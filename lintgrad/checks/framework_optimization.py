"""LG406: who runs backward and steps, the framework or the user's code, is not settled as it needs to be."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._engines import severity_of
from lintgrad.checks._paths import call_of, step_of, strongest, sure
from lintgrad.diagnostics import Confidence, Finding, Site
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.engines import EngineV
from lintgrad.machine.managed import TrainingStep
from lintgrad.machine.observations import Backward, Event, Step
from lintgrad.machine.schedules import SchedulerStep
from lintgrad.machine.values import OptimizerV

Calls = list[tuple[Trace, TrainingStep]]


def check(run: Run) -> Iterator[Finding]:
    """Report training steps that do what their trainer does, or leave undone what it leaves to them."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    by_step: dict[Site, Calls] = {}
    for trace, event in run.events(TrainingStep):
        by_step.setdefault(event.site, []).append((trace, event))
    yield from _past_engines(run)
    for calls in by_step.values():
        yield from _automatic([c for c in calls if c[1].automatic])
        yield from _manual(run, [c for c in calls if c[1].automatic is False])


# --- engines -------------------------------------------------------------------------------------


def _past_engines(run: Run) -> Iterator[Finding]:
    """Steps that torch's optimizers make, where an engine was to make or to guard them."""
    for trace, step in run.events(Step):
        optimizer = step.optimizer
        if step.framework or not isinstance(optimizer, OptimizerV) or optimizer.opaque:
            continue
        if optimizer.engine is not None and optimizer.engine.kind == "deepspeed":
            yield _past_engine(trace, step, optimizer.engine)
        elif optimizer.engine is None:
            managed = [leaf.managed for leaf in optimizer.leaves if leaf.managed is not None]
            engine = managed[0].engine if managed and managed[0].seq < step.seq else None
            if engine is not None and engine.kind in ("accelerate", "fabric"):
                yield _unprepared(trace, step, managed[0].site, engine)


def _past_engine(trace: Trace, step: Step, engine: EngineV) -> Finding:
    return Finding(
        step.site,
        f"{step_of(step.name)} goes past the engine that DeepSpeed made: it neither accumulates nor unscales",
        (),
        help=f"call `{engine.name or 'engine'}.step()`, which steps, clears, and moves the schedule",
        confidence=sure(trace, step.confidence, Confidence.LIKELY),
    )


def _unprepared(trace: Trace, step: Step, prepared: Site, engine: EngineV) -> Finding:
    name = engine.name or engine.kind
    return Finding(
        step.site,
        f"{step_of(step.name)} goes past `{name}`, which has prepared the model and not its optimizer: "
        "it neither waits for accumulated batches nor unscales gradients",
        (PathStep(prepared, "the model alone is handed over"), PathStep(step.site, "torch alone steps")),
        help=f"hand the optimizer to `{name}` too, together with the model",
        confidence=sure(trace, step.confidence, Confidence.LIKELY),
        severity=severity_of(engine),
    )


# --- automatic optimization ----------------------------------------------------------------------


def _automatic(calls: Calls) -> Iterator[Finding]:
    for trace, step in calls:
        if step.by_hand:
            yield _by_hand(trace, step, step.by_hand[0])
    if not calls:
        return
    trace, step = calls[0]
    sure_of_all = not any(t.exhausted for t, _ in calls)
    if sure_of_all and all(c.forgotten for _, c in calls):
        yield _forgotten(trace, step)
    elif sure_of_all and all(c.returned == "nothing" and not c.by_hand for _, c in calls):
        yield _nothing_returned(trace, step)
    for other, call in calls:
        if call.returned == "number":
            yield _number_returned(other, call)
    if step.optimizers > 1 and (not step.by_index or step.newest):
        yield _several(trace, step)


def _by_hand(trace: Trace, step: TrainingStep, event: Event) -> Finding:
    what = call_of(event) if isinstance(event, Backward) else step_of(event.name)
    if isinstance(event, Backward) and event.framework:
        what = "`manual_backward`"
    return Finding(
        event.site,
        f"{what} by hand, while the trainer of `{step.name}` runs backward and steps itself",
        (
            PathStep(step.site, "the trainer calls this, then runs backward on what it returns"),
            PathStep(event.site, "and this does so by hand"),
        ),
        help="only return the loss; a LightningModule may set `self.automatic_optimization = False` instead",
        confidence=sure(trace, Confidence.LIKELY if isinstance(event, Step) else Confidence.CERTAIN),
    )


def _forgotten(trace: Trace, step: TrainingStep) -> Finding:
    return Finding(
        step.configured or step.site,
        f"`configure_optimizers` returns nothing: the trainer runs `{step.name}` without an optimizer",
        (),
        help="return the optimizer",
        confidence=sure(trace, Confidence.LIKELY),
    )


def _nothing_returned(trace: Trace, step: TrainingStep) -> Finding:
    return Finding(
        step.site,
        "`training_step` returns nothing: the trainer skips each batch, and nothing is trained",
        (),
        help="return the loss",
        confidence=sure(trace, Confidence.LIKELY),
    )


def _number_returned(trace: Trace, step: TrainingStep) -> Finding:
    return Finding(
        step.site,
        "`training_step` returns a number, which has no graph: the trainer cannot run backward on it",
        (),
        help="return the loss itself; `self.log` takes its value without the graph",
        confidence=sure(trace),
    )


def _several(trace: Trace, step: TrainingStep) -> Finding:
    return Finding(
        step.configured or step.site,
        f"automatic optimization takes one optimizer, and `configure_optimizers` returns {step.optimizers}",
        (
            PathStep(step.configured or step.site, "all of these are to be stepped"),
            PathStep(step.site, "and nothing tells which loss is for which"),
        ),
        help="set `self.automatic_optimization = False` and step each optimizer in `training_step`",
        confidence=sure(trace),
    )


# --- manual optimization -------------------------------------------------------------------------


def _manual(run: Run, calls: Calls) -> Iterator[Finding]:
    if not calls or any(trace.exhausted for trace, _ in calls):
        return
    trace, step = calls[0]
    place = step.switched or step.site
    if not any(c.by_hand or c.escaped or c.optimizers < 0 for _, c in calls):
        yield _untrained(trace, step, place)
    elif step.schedulers and not _any_schedule(run) and not any(c.escaped for _, c in calls):
        yield _unscheduled(trace, step, place)
    if step.trainer is not None and (step.clips or step.accumulates):
        yield _refused(trace, step, step.trainer)


def _any_schedule(run: Run) -> bool:
    return any(True for _ in run.events(SchedulerStep))


def _untrained(trace: Trace, step: TrainingStep, place: Site) -> Finding:
    return Finding(
        place,
        f"automatic optimization is off, and `{step.name}` neither runs backward nor steps: nothing learns",
        (
            PathStep(place, "the trainer leaves it to the module"),
            PathStep(step.site, "and the loss that this returns is only logged"),
        ),
        help="call `self.manual_backward(loss)` and step the optimizer in `training_step`",
        confidence=sure(trace, Confidence.LIKELY),
    )


def _unscheduled(trace: Trace, step: TrainingStep, place: Site) -> Finding:
    return Finding(
        place,
        "automatic optimization is off, and nobody steps the schedules that `configure_optimizers` returns: "
        "the learning rate never changes",
        (
            PathStep(step.configured or step.site, "the schedules are made here"),
            PathStep(place, "the trainer steps none"),
        ),
        help="step those of `self.lr_schedulers()`, at the end of each epoch say",
        confidence=sure(trace, Confidence.LIKELY),
    )


def _refused(trace: Trace, step: TrainingStep, place: Site) -> Finding:
    asked = "gradient_clip_val" if step.clips else "accumulate_grad_batches"
    return Finding(
        place,
        f"`{asked}` asks the trainer for what it cannot do where `{step.name}` optimizes by hand: it raises",
        (
            PathStep(step.switched or step.site, "automatic optimization is off"),
            PathStep(place, "the trainer is asked to do a part of it"),
        ),
        help="clip and accumulate in `training_step`",
        confidence=sure(trace),
    )
