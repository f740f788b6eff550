"""LG503: training goes on in eval mode after an evaluation."""

from __future__ import annotations

from collections.abc import Iterator

from lintgrad.checks._evaluations import hears_mode, leaves
from lintgrad.checks._paths import strongest, sure
from lintgrad.diagnostics import Confidence, Finding, Site, Step
from lintgrad.machine import Run, Trace
from lintgrad.machine.observations import Backward, Event, Forward
from lintgrad.machine.values import Value


def check(run: Run) -> Iterator[Finding]:
    """Report `eval()` calls after which a module that was trained in train mode is trained on."""
    yield from strongest(_findings(run))


def _findings(run: Run) -> Iterator[Finding]:
    for trace in run.traces:
        forwards = [f for f in trace.of(Forward) if f.grad]
        before = -1
        for backward in trace.of(Backward):
            if backward.kind != "backward":
                continue
            # An evaluation may have run since the last backward: the module's newest forward counts.
            newest = {id(f.module): f for f in forwards if before < f.seq < backward.seq}
            for forward in newest.values():
                if forward.training is False:
                    yield from _stuck(trace, forwards, forward, backward)
            before = backward.seq


def _stuck(trace: Trace, forwards: list[Forward], forward: Forward, backward: Backward) -> Iterator[Finding]:
    turned = forward.turned
    if turned is None or not _trains(forward.module, backward):
        return
    trained = [f for f in forwards if f.module is forward.module and f.training and f.seq < turned.seq]
    walked = [f for f in trained if any(b.seq > f.seq for b in trace.of(Backward) if b.seq < turned.seq)]
    hears = hears_mode(forward.module)
    if walked and hears is not False:
        doubt = Confidence.LIKELY if hears is None else Confidence.CERTAIN
        yield _finding(trace, walked[0], turned, forward, doubt)


def _trains(module: Value | None, backward: Backward) -> bool:
    """Whether a step applies what the backward gave the module: an attack's gradients are only read."""
    applied = {id(g.leaf) for g in backward.gradients if g.applied is not None}
    return any(id(leaf) in applied for leaf in leaves(module))


def _place(trace: Trace, turned: Event) -> Site:
    """The `eval()` itself, or the call of the helper that only switches modes."""
    depth = len(turned.stack)
    evaluates = any(f.seq > turned.seq and f.stack[:depth] == turned.stack for f in trace.of(Forward))
    return turned.site if evaluates or not turned.stack else turned.stack[-1]


def _finding(trace: Trace, trained: Forward, turned: Event, stuck: Forward, doubt: Confidence) -> Finding:
    name = f"`{turned.name}.eval()`" if turned.name else "`eval()`"
    place = _place(trace, turned)
    return Finding(
        place,
        f"after {name} nothing calls `train()` before the training goes on: dropout is off from here, and "
        "batch norm no longer learns its statistics",
        (
            Step(trained.site, "trained in train mode so far"),
            Step(place, "switched to eval mode"),
            Step(stuck.site, "and trained on in it"),
        ),
        help="call `train()` where each pass of training begins, or after the evaluation",
        confidence=sure(trace, doubt),
    )
