"""Graphs that are kept: by a flag that nothing needs, or because something still holds them."""

from __future__ import annotations

from lintgrad.verify.child.changes import Changes, lines_of
from lintgrad.verify.child.oracles.case import (
    Case,
    Judgement,
    at,
    confirmed,
    in_step,
    inconclusive,
    plural,
    refuted,
    times,
    unreached,
)
from lintgrad.verify.child.record import Growth, Record, Walk


def retained_in_loop(case: Case) -> Judgement:
    """The same of a backward that a loop repeats."""
    walks = case.here(case.record.walks)
    if walks and not any(walk.stamp for walk in walks):
        return refuted(f"the backward of line {case.asked.line} ran {times(len(walks))}, in no loop")
    return retained(case)


def retained(case: Case) -> Judgement:
    """A backward keeps its graph, no later one runs it, and without the flag all is the same."""
    walks = [walk for walk in case.here(case.record.walks) if walk.keeps and not walk.creates]
    if not walks:
        freeing = case.here(case.record.walks)
        if freeing and case.ran_on():
            return refuted(
                f"the backward of line {case.asked.line} ran {times(len(freeing))} and kept nothing by "
                f"that flag"
            )
        return unreached(case, "a backward that keeps its graph")
    needed = [number for walk in walks for number in walk.needed_by]
    if needed:
        later = case.record.walks[needed[0]]
        return refuted(f"the backward of {at(later.lines)} runs what line {case.asked.line} kept")
    if case.record.error is not None:
        return unreached(case, "the end of the run")
    released = case.rerun(Changes(release=lines_of(line for walk in walks for line in walk.lines[:1])))
    if released is None:
        return inconclusive("could not run: the program without retain_graph=True did not finish")
    if released.error is not None:
        return refuted(
            f"without retain_graph=True, {at(released.error.lines)} raises {released.error.text[:160]}"
        )
    return _compared(case, walks, released)


def _compared(case: Case, walks: list[Walk], released: Record) -> Judgement:
    pairs = in_step(case.record, released)
    if not pairs:
        return unreached(case, "a backward in both runs")
    other = [old for old, new in pairs if old.digest != new.digest]
    if other:
        return refuted(
            f"without retain_graph=True, the backward of {at(other[0].lines)} gives other gradients"
        )
    return confirmed(
        f"dropping retain_graph=True at line {case.asked.line} changed no gradient and raised nothing in "
        f"{plural(len(pairs), 'backward')}; none of them ran what {plural(len(walks), 'backward')} had kept"
    )


def growth(case: Case) -> Judgement:
    """Nodes of earlier turns pile up, and fewer do when what the line stores is detached."""
    grown = [entry for entry in case.record.growth if entry.rise]
    if not grown:
        return _steady(case)
    most = max(grown, key=lambda entry: entry.rise)
    evidence = _figures(most)
    for changes in (Changes(cut=lines_of(case.place)), Changes(drop=lines_of(case.place))):
        without = case.rerun(changes)
        if without is not None and without.error is None and without.turns >= min(case.record.turns, 4):
            if _total(without) < _total(case.record):
                return confirmed(
                    f"{evidence}; {_less(_total(without))} with what line {case.asked.line} stores cut"
                )
            return refuted(f"{evidence}, but as many with what line {case.asked.line} stores detached")
    # That a line made them says little: it may be right, and another keep them. The linter's path ties both.
    involved = set(most.lines) & {step.line for step in case.asked.related}
    if involved and case.hits:
        return confirmed(f"{evidence}, made at line {min(involved)}")
    return inconclusive(f"{evidence}, but no run could tell whether line {case.asked.line} is to blame")


def _total(record: Record) -> int:
    """The growth of all loops: of each, that of its steepest entry."""
    most: dict[int, int] = {}
    for entry in record.growth:
        most[entry.loop] = max(most.get(entry.loop, 0), entry.rise)
    return sum(most.values())


def _figures(entry: Growth) -> str:
    size = entry.bytes[-1] - entry.bytes[-2]
    kept = f" and {_bytes(size)} more saved" if size > 0 else ", which backward has freed,"
    turns = len(entry.nodes) - 1
    return (
        f"{plural(entry.rise, 'more graph node')}{kept} each turn of the loop at line {entry.first_line} "
        f"({entry.nodes[-1]:,} after {times(turns).replace('times', 'turns')})"
    )


def _less(rise: int) -> str:
    return f"only {rise} more" if rise else "none"


def _bytes(size: int) -> str:
    if size < 1024:
        return f"{size} bytes"
    return f"{size / 1024:.1f} KiB" if size < 1 << 20 else f"{size / (1 << 20):.1f} MiB"


def _steady(case: Case) -> Judgement:
    around = [
        e for e in case.record.growth if e.first_line <= case.asked.line <= e.last_line
    ] or case.record.growth
    turns = max((len(entry.nodes) for entry in around), default=0)
    if case.hits >= 3 and turns >= 4:
        return refuted(f"in {turns} turns of its loop, the graphs of earlier turns did not pile up")
    return unreached(case, "four turns of its loop")
