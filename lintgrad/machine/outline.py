"""What the machine understood, for people: `lintgrad show`."""

from __future__ import annotations

from dataclasses import dataclass

from lintgrad.diagnostics import Site
from lintgrad.machine.closures import ClosureStep
from lintgrad.machine.managed import TrainingStep
from lintgrad.machine.observations import (
    Backward,
    Clear,
    Discarded,
    Event,
    Forward,
    InPlace,
    Kept,
    Run,
    Step,
    Trace,
    Uncalled,
)
from lintgrad.machine.occasions import (
    Clip,
    Construction,
    GradTypo,
    NonleafGrad,
    NonleafParameter,
    Rebound,
    Term,
)
from lintgrad.machine.schedules import SchedulerStep


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One line of the outline; `site` is None for a heading; `depth` counts loops and calls around."""

    site: Site | None
    depth: int
    kind: str
    text: str


def outline(run: Run) -> list[OutlineEntry]:
    """Root by root, path by path: the events in order, the conditions assumed, where the machine gave up."""
    entries: list[OutlineEntry] = []
    seen: set[tuple[object, ...]] = set()
    for number, trace in enumerate(run.traces):
        lines = [_entry(event) for event in trace.events if not _is_idle(event)]
        key = (trace.root, tuple((e.site, e.text) for e in lines))
        if key in seen or not lines:
            continue
        seen.add(key)
        entries.append(OutlineEntry(None, 0, "path", f"{trace.root}, path {number + 1}{_suffix(trace)}"))
        entries += _assumed(trace)
        entries += lines
        entries += _given_up(trace)
    return entries


def _suffix(trace: Trace) -> str:
    return " (stopped by the budget: nothing is concluded from absence)" if trace.exhausted else ""


def _given_up(trace: Trace) -> list[OutlineEntry]:
    """Where the machine guessed, did not look, or had no budget left."""
    entries = [OutlineEntry(site, 1, "remark", text) for site, text in dict.fromkeys(trace.remarks)]
    if trace.stopped is not None:
        name, call = trace.stopped
        where = f"in `{name}`, called here" if call is not None else f"in `{name}`"
        entries.append(OutlineEntry(call, 1, "remark", f"the budget of steps ran out {where}"))
    entries += [
        OutlineEntry(None, 1, "remark", f"  {path} was not read: it cannot be, or too many files were")
        for path in sorted(trace.unread)
    ]
    if trace.last:
        entries.append(OutlineEntry(None, 1, "remark", f"  {trace.root} has more paths: the budget ran out"))
    return entries


def _assumed(trace: Trace) -> list[OutlineEntry]:
    found: dict[tuple[Site, bool], None] = dict.fromkeys(trace.assumed)
    return [
        OutlineEntry(site, 1, "assumed", f"this condition was taken as {'true' if held else 'false'}")
        for site, held in list(found)[:12]
    ]


def _is_idle(event: Event) -> bool:
    """Whether an event is for checks to compare, and tells a reader nothing by itself."""
    return isinstance(event, Term) or (isinstance(event, Kept) and not event.nodes)


def _entry(event: Event) -> OutlineEntry:
    depth = 1 + (event.turn.depth if event.turn else 0)
    return OutlineEntry(event.site, depth, type(event).__name__.lower(), _text(event))


def _text(event: Event) -> str:
    name = f"`{event.name}`" if event.name else "it"
    match event:
        case Backward():
            return _backward(event, name)
        case Step():
            found = f"{len(event.fresh)} new and {len(event.again)} already applied gradients"
            kind = "" if event.complete else ", parameters not all known"
            return f"step of {name}: {found}{kind}"
        case Clear():
            return f"gradients of {name} cleared, {len(event.unused)} of them unused"
        case Forward():
            return f"forward of {name}{'' if event.grad else ', gradients off'}"
        case Kept():
            return f"{event.holder or 'a place'} keeps {len(event.nodes)} nodes of earlier turns"
        case InPlace():
            return f"in-place {event.op} on {name}"
        case Discarded():
            return f"result of .{event.method}() dropped"
        case Uncalled():
            return f".{event.method} named and not called"
        case _:
            return _occasion(event, name)


def _occasion(event: Event, name: str) -> str:
    match event:
        case Construction():
            kind = event.optimizer.kind if event.optimizer is not None else ""
            return f"{kind or 'an optimizer'} built over {len(event.leaves)} leaves"
        case SchedulerStep():
            return f"scheduler step of {name}"
        case ClosureStep():
            told = {True: "given", False: "missing", None: "not known"}[event.given]
            return f"the closure of {name} is {told}" + ("" if event.filled else ", and fills no gradient")
        case Clip():
            state = (
                "none is there"
                if event.empty
                else "all applied before"
                if event.applied
                else "gradients are there"
            )
            return f"clip: {state}"
        case NonleafGrad() | NonleafParameter():
            return f"{name} is used as a leaf and is none"
        case Rebound():
            return f"{name} bound anew by its own update"
        case TrainingStep():
            how = {True: "automatic", False: "manual", None: "unknown"}[event.automatic]
            return f"a training step of {name} under {how} optimization, which returned: {event.returned}"
        case GradTypo():
            return f"`{event.written}` sets nothing"
        case _:
            return type(event).__name__


def _backward(event: Backward, name: str) -> str:
    if event.graphless:
        return f"backward of {name}, which has no graph"
    kept = ", graph kept" if event.retain is not False or event.create is not False else ""
    faults = [
        f"{len(found)} {what}"
        for found, what in (
            (event.raises, "freed nodes walked again"),
            (event.silent, "freed nodes that saved nothing walked again"),
            (event.stale, "saved tensors overwritten"),
        )
        if found
    ]
    told = "; ".join(faults)
    opaque = sum(leaf.opaque for leaf in event.leaves)
    reached = f"{len(event.nodes)} nodes, {len(event.leaves)} leaves" + (
        f" ({opaque} opaque)" if opaque else ""
    )
    return f"{event.kind} of {name}: {reached}{kept}{'; ' + told if told else ''}"
