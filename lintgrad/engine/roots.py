"""Which roots a finding is reached from, and which roots others make needless.

A function that is run by itself has parameters of kinds that were guessed. Where code of the tree calls
it, what happens in that call is better evidence, as it is within one file: findings that only its own
root leads to are dropped then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from lintgrad.engine.result import Root

if TYPE_CHECKING:
    from lintgrad.diagnostics import Finding, Site
    from lintgrad.machine import Run
    from lintgrad.machine.observations import Trace

MODULE = -1


def with_roots(run: Run, check: Callable[[Run], Iterable[Finding]]) -> list[tuple[Finding, frozenset[Root]]]:
    """The findings of `check` in `run`, each with the roots whose paths alone show it."""
    findings = list(check(run))
    if not findings or not run.traces:
        return [(finding, frozenset()) for finding in findings]
    traces: dict[int, list[Trace]] = {}
    for trace in run.traces:
        traces.setdefault(trace.origin, []).append(trace)
    if len(traces) == 1:
        return [(finding, frozenset({(run.path, origin)})) for finding in findings for origin in traces]
    roots: dict[Site, set[Root]] = {}
    for origin, own in traces.items():
        for finding in check(replace(run, traces=own)):
            roots.setdefault(finding.site, set()).add((run.path, origin))
    return [(finding, frozenset(roots.get(finding.site, ()))) for finding in findings]


def needless(reached: Mapping[Root, frozenset[Root]]) -> frozenset[Root]:
    """The roots that other roots reach, by what each root reaches.

    Where roots reach each other in a circle, the first of them by its place stands for all.
    """
    roots = sorted(reached)
    callers: dict[Root, set[Root]] = {root: set() for root in roots}
    for root in roots:
        for other in reached[root] & callers.keys():
            if other != root and other[1] != MODULE:
                callers[other].add(root)
    dropped: set[Root] = set()
    first = [root for root in roots if not callers[root]]
    for root in (*first, *roots):
        if root not in dropped:
            dropped |= {one for one in reached[root] & callers.keys() if one != root and one[1] != MODULE}
            dropped.discard(root)
    return frozenset(dropped)
