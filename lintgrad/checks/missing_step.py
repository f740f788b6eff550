"""LG306: gradients of an optimizer's parameters that no step ever applies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lintgrad.checks._paths import by_site, call_of, strongest, sure
from lintgrad.checks._unreached import unreached_steps
from lintgrad.diagnostics import Confidence, Finding, Site
from lintgrad.diagnostics import Step as PathStep
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Gradient
from lintgrad.machine.observations import Backward, Clear, InPlace, Step, Uncalled
from lintgrad.machine.occasions import Construction
from lintgrad.machine.turns import earlier
from lintgrad.machine.values import OptimizerV


@dataclass(frozen=True, slots=True)
class Idle:
    """Gradients that a `backward` gave to parameters of `optimizer`, in vain; `clear` took them away."""

    trace: Trace
    backward: Backward
    optimizer: OptimizerV
    clear: Clear | None


def check(run: Run) -> Iterator[Finding]:
    """Report backwards that work for an optimizer which never steps."""
    if run.exhausted or any(trace.exhausted or trace.unseen_step for trace in run.traces):
        return
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    if any(event.method == "step" for _, event in run.events(Uncalled)) or _left_unseen(run):
        return  # the step is there, and not called, or on a path that was not run
    stepped = _stepped(run)
    astray = {found.backward.site for found in unreached_steps(run)}
    for site, events in by_site(run, Backward, lambda event: event.kind == "backward").items():
        if site in astray or any(event.graphless or event.raises for _, event in events):
            continue  # another rule says what is wrong there
        for idle in [one for trace, event in events for one in _idle(trace, event, stepped)]:
            # Another path or another call of a helper may show what the gradients are for.
            if not any(_is_used(gradient, idle) for _, event in events for gradient in event.gradients):
                yield _finding(idle)


def _left_unseen(run: Run) -> bool:
    """Whether a step may stand where no path went, for a reason that the program does not give itself."""
    taken = {arm for trace in run.traces for arm, went in trace.step_arms.items() if went}
    return any(trace.assumed and not trace.step_arms.keys() <= taken for trace in run.traces)


def _stepped(run: Run) -> set[Site | str]:
    """The optimizers that ever step: by where they are built, or else by their names."""
    found: set[Site | str] = set()
    for _, step in run.events(Step):
        optimizer = step.optimizer
        if isinstance(optimizer, OptimizerV) and optimizer.site is not None:
            found.add(optimizer.site)
        found.add(step.name)
    return found


def _is_used(gradient: Gradient, idle: Idle) -> bool:
    owner = gradient.leaf.owner if gradient.leaf is not None else None
    same = isinstance(owner, OptimizerV) and owner.site == idle.optimizer.site
    return (same or idle.optimizer.opaque) and (gradient.applied is not None or gradient.read)


def _idle(trace: Trace, event: Backward, stepped: set[Site | str]) -> Iterator[Idle]:
    """For whom the backward surely works in vain."""
    if not _repeats(trace, event) or any(gradient.read for gradient in event.gradients):
        return  # what is read, of an input perhaps, is what the backward is for
    built = {id(made.optimizer) for made in trace.of(Construction)}
    stepping = {id(s.optimizer): s.optimizer for s in trace.of(Step) if isinstance(s.optimizer, OptimizerV)}
    held = {id(leaf) for one in stepping.values() for leaf in one.leaves}
    owners = {id(g.leaf.owner): g.leaf.owner for g in event.gradients if g.leaf is not None}
    for owner in owners.values():
        if not isinstance(owner, OptimizerV) or owner.touched >= 0 or owner.site in stepped:
            continue
        own = [g for g in event.gradients if g.leaf is not None and g.leaf.owner is owner]
        clear = _cleared(trace, event, owner)
        unheld = all(_is_untouched(g) and id(g.leaf) not in held for g in own)
        if unheld and (id(owner) in built or clear is not None):
            yield Idle(trace, event, owner, clear)
    for clear in trace.of(Clear):
        optimizer = clear.optimizer
        if isinstance(optimizer, OptimizerV) and optimizer.opaque and optimizer.touched < 0:
            idle = all(_is_untouched(g) for g in event.gradients)
            if idle and clear.name not in stepped and _cleared(trace, event, optimizer) is clear:
                yield Idle(trace, event, optimizer, clear)


def _repeats(trace: Trace, event: Backward) -> bool:
    """Whether the backward stands in a loop that comes to it more than once, as training does."""
    return any(
        other.site == event.site and (earlier(other.turn, event.turn) or earlier(event.turn, other.turn))
        for other in trace.of(Backward)
    )


def _is_untouched(gradient: Gradient) -> bool:
    """Whether nothing has used a gradient, nor written to its parameter, nor could unseen code have."""
    leaf, made = gradient.leaf, gradient.backward
    if gradient.applied is not None or gradient.read:
        return False
    if leaf is None:
        return True
    writes = [w.seq for w in leaf.storage.writers if isinstance(w, InPlace)]
    written = max([leaf.storage.silent, *writes])
    return leaf.touched < 0 and written < made.seq and leaf.managed is None


def _cleared(trace: Trace, event: Backward, optimizer: OptimizerV) -> Clear | None:
    """The optimizer's own clear that takes what the backward gave, in the loop's next turn."""
    for clear in trace.of(Clear):
        if clear.optimizer is optimizer and earlier(event.turn, clear.turn) is not None:
            if any(gradient.backward is event and gradient.applied is None for gradient in clear.unused):
                return clear
    return None


def _finding(idle: Idle) -> Finding:
    backward, optimizer, clear = idle.backward, idle.optimizer, idle.clear
    name = clear.name if clear is not None else optimizer.name
    what = f"`{name}`" if name else f"the `{optimizer.kind or 'optimizer'}`"
    built = [PathStep(optimizer.site, "the optimizer is built here")] if optimizer.site else []
    lost = [PathStep(clear.site, "they are cleared, and no step has used them")] if clear else []
    return Finding(
        backward.site,
        f"{call_of(backward)} computes gradients for {what}, which never steps: nothing is trained by them",
        (*built, PathStep(backward.site, "the gradients are added here"), *lost),
        help="call the optimizer's `step()` after the backward",
        confidence=sure(
            idle.trace, backward.confidence, Confidence.LIKELY if optimizer.opaque else Confidence.CERTAIN
        ),
    )
