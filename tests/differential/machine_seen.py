"""What lintgrad says of a program, up to the first place where torch would raise.

The machine goes on behind a fault as if nothing had been raised; torch does not. So each path is cut behind
its first fault before the checks read it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from lintgrad.catalog import Catalog, Rule, load
from lintgrad.diagnostics import Confidence, Finding, Severity, Site
from lintgrad.engine.stages import Trouble
from lintgrad.engine.standard import StandardStages
from lintgrad.machine import Trace
from lintgrad.machine.observations import Backward, Event, InPlace

if TYPE_CHECKING:
    from lintgrad.catalog.catalog import Check

RAISING = {
    "LG101": "second",
    "LG105": "second",
    "LG109": "version",
    "LG110": "version",
    "LG111": "leaf",
    "LG201": "graphless",
    "LG203": "nonscalar",
}
QUIET = ("LG102", "LG103", "LG104", "LG106", "LG301", "LG302", "LG307")


@dataclass(frozen=True)
class Said:
    """One finding: its rule, its line, the line where its path ends, whether torch would raise there.

    `possible` when it is shown on demand only.
    """

    code: str
    line: int
    end: int
    raises: bool
    possible: bool = False

    @property
    def kind(self) -> str:
        """The kind of exception, where it raises."""
        return RAISING.get(self.code, "") if self.raises else ""


@dataclass(frozen=True)
class Machine:
    """All findings, in how many paths the program was run, and whether a budget ran out."""

    said: frozenset[Said]
    paths: int
    exhausted: bool

    def lines(self, *codes: str) -> set[int]:
        """The lines that these rules report."""
        return {one.line for one in self.said if one.code in codes and not one.possible}


def machine(program: str) -> Machine:
    """What the rules say of `program`."""
    stages = StandardStages(lambda _source, _plan: None)
    source = stages.read("program.py", program.encode())
    assert not isinstance(source, Trouble)
    tree = stages.parse(source)
    assert not isinstance(tree, Trouble)
    run = stages.explore(stages.lower("program.py", tree))
    # Functions that nothing calls are looked at, too; torch does not run those.
    run.traces = [trace for trace in run.traces if trace.root == "<module>"]
    for trace in run.traces:
        _cut(trace)
    found = [(code, finding) for code, check in _checks().items() for finding in check(run)]
    spans = stages.spans(source, _sites(finding for _, finding in found))
    said = frozenset(
        Said(
            code,
            spans[f.site].line,
            spans[_end(f)].line,
            code in RAISING and f.severity is not Severity.WARNING,
            f.confidence is Confidence.POSSIBLE,
        )
        for code, f in found
    )
    return Machine(said, len(run.traces), run.exhausted)


@cache
def _checks() -> dict[str, Check]:
    catalog = load()
    found = {code: catalog.load_check(_rule(catalog, code)) for code in (*RAISING, *QUIET)}
    return {code: check for code, check in found.items() if check is not None}


def _rule(catalog: Catalog, code: str) -> Rule:
    rule = catalog.find(code)
    assert rule is not None
    return rule


def _cut(trace: Trace) -> None:
    for position, event in enumerate(trace.events):
        if _faulty(event):
            del trace.events[position + 1 :]
            return


def _faulty(event: Event) -> bool:
    """Whether torch would raise at `event`, and that is more than possible."""
    match event:
        case Backward():
            sure = [one.confidence for one in event.raises] + [one.confidence for one in event.stale]
            met = any(confidence is not Confidence.POSSIBLE for confidence in sure)
            return met or event.graphless or event.nonscalar
        case InPlace():
            return event.leaf is not None
        case _:
            return False


def _end(finding: Finding) -> Site:
    return finding.steps[-1].site if finding.steps else finding.site


def _sites(findings: Iterable[Finding]) -> list[Site]:
    return [site for finding in findings for site in (finding.site, _end(finding))]
