"""One request, answered: the runs it takes, an oracle for each finding.

This process has torch and runs nothing of the user's; each run is a fork of it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import torch

from lintgrad.verify.child import syntax
from lintgrad.verify.child.changes import Changes, lines_of
from lintgrad.verify.child.forking import RunFailedError, forked
from lintgrad.verify.child.oracles import judge
from lintgrad.verify.child.oracles.case import Case, Judgement, inconclusive
from lintgrad.verify.child.record import Record
from lintgrad.verify.child.run import Plan
from lintgrad.verify.child.trust import on_standins
from lintgrad.verify.protocol import Answer, Asked, Entry, How, Request, Verdict

_BOLDLY = frozenset(("stale-gradient", "cleared-gradient"))
"""Oracles that may be asked where unknown values were given graphs: they look at steps, not at graphs."""

_LEAST = 0.3
"""Seconds below which it is no use to begin a run."""


def answer(request: Request) -> Answer:
    """What running says of the request's findings."""
    job = _Job(request)
    verdicts = tuple(job.verdict(asked) for asked in request.findings)
    return Answer(request.id, verdicts, str(torch.__version__), tuple(job.confined), tuple(job.log))


def ready() -> None:
    """Do what each run would do first, before the runs are forked."""
    torch.set_num_threads(1)
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    (parameter * 2).sum()
    optimizer.step()


@dataclass
class _Job:
    request: Request
    deadline: float = 0.0
    confined: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    done: dict[tuple[object, ...], Record | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.deadline = time.monotonic() + self.request.budget.seconds

    def verdict(self, asked: Asked) -> Verdict:
        """By the file as it is, else by one of its entries."""
        begun = time.monotonic()
        how, judgement, plan = self._settle(asked)
        fix = ("", "")
        if judgement.outcome == "confirmed" and asked.fixed:
            fix = self._fixed(asked, plan)
        said = judgement.outcome != "inconclusive"
        return Verdict(
            judgement.outcome,
            asked.oracle,
            evidence=judgement.why if said else "",
            reason="" if said else judgement.why,
            seconds=round(time.monotonic() - begun, 3),
            how=how if said else "",
            fix="" if not fix[0] else ("verified" if fix[0] == "verified" else "unverified"),
            fix_reason=fix[1],
        )

    def _settle(self, asked: Asked) -> tuple[How, Judgement, Plan]:
        first: Judgement | None = None
        plan = self._plan(None)
        for how, entry in self._ways():
            plan = self._plan(entry)
            judgement = self._judged(asked, plan)
            if entry is not None:
                judgement = self._on_standins(judgement, asked, plan)
                if judgement.outcome == "inconclusive" and asked.oracle in _BOLDLY:
                    bold = replace(plan, bold=True)
                    judgement, plan = self._on_standins(self._judged(asked, bold), asked, bold), bold
            if judgement.outcome != "inconclusive":
                return how, judgement, plan
            self.log.append(f"{asked.code} at line {asked.line}, {how}: {judgement.why}")
            first = first or judgement
        return "", first or inconclusive("could not run: there is nothing to run"), plan

    def _on_standins(self, judgement: Judgement, asked: Asked, plan: Plan) -> Judgement:
        if judgement.outcome == "inconclusive":
            return judgement
        return on_standins(judgement, asked, self._run(plan))

    def _ways(self) -> list[tuple[How, Entry | None]]:
        entries: list[tuple[How, Entry | None]] = [("function", entry) for entry in self.request.entries]
        file: list[tuple[How, Entry | None]] = [("file", None)]
        return {"file": file, "function": entries, "auto": [*file, *entries]}[self.request.mode]

    def _plan(self, entry: Entry | None) -> Plan:
        request = self.request
        asked = {line for finding in request.findings for line in (finding.line, finding.end_line) if line}
        return Plan(
            request.source,
            request.path,
            tuple(sorted(asked)),
            memory=request.budget.memory,
            turns=request.budget.turns,
            seed=request.seed,
            entry=entry,
        )

    def _judged(self, asked: Asked, plan: Plan) -> Judgement:
        try:
            record = self._run(plan)
        except RunFailedError as problem:
            return inconclusive(str(problem))
        judgement = self._by(asked, plan, record)
        blocking = self._blocking(asked, record)
        if judgement.outcome == "inconclusive" and blocking:
            # Another finding's error ended the run before this one's place: go on behind it.
            change = replace(plan.change, guard=plan.change.guard | lines_of(blocking))
            if change != plan.change:
                return self._judged(asked, replace(plan, change=change))
        return judgement

    def _by(self, asked: Asked, plan: Plan, record: Record) -> Judgement:
        def rerun(changes: Changes) -> Record | None:
            guarded = replace(changes, guard=plan.change.guard)
            try:
                return self._run(replace(plan, change=guarded, stops=frozenset(record.stopped)))
            except RunFailedError:
                return None

        place = syntax.statement_lines(plan.source, asked.line, asked.end_line)
        looped = syntax.has_loop_around(plan.source, asked.line)
        return judge(Case(asked, record, place, looped, rerun))

    def _blocking(self, asked: Asked, record: Record) -> list[int]:
        """The lines of an error that belongs to other findings and not to this one."""
        if record.error is None:
            return []
        others = {finding.line for finding in self.request.findings} - {asked.line}
        steps = {step.line for f in self.request.findings if f.line != asked.line for step in f.related}
        return [line for line in record.error.lines[:1] if line in others | steps]

    def _run(self, plan: Plan) -> Record:
        """The record of `plan`, run at most once; raises `RunFailedError`."""
        entry = (plan.entry.function, plan.entry.line) if plan.entry else None
        key = (plan.source, plan.asked, plan.change, plan.stops, plan.bold, entry)
        if key not in self.done:
            self.done[key] = self._forked(plan)
        found = self.done[key]
        if isinstance(found, str):
            raise RunFailedError(found)
        return found

    def _forked(self, plan: Plan) -> Record | str:
        """A record, or why there is none."""
        left = self.deadline - time.monotonic()
        if left < _LEAST:
            return "out of budget: no time was left for another run"
        try:
            record = forked(replace(plan, seconds=min(left, 0.6 * self.request.budget.seconds)))
        except RunFailedError as problem:
            return str(problem)
        self.confined = record.confined
        self.log += [f"refused: {tried}" for tried in record.refused if f"refused: {tried}" not in self.log]
        return record

    def _fixed(self, asked: Asked, plan: Plan) -> tuple[str, str]:
        """Whether the fixed source has lost the symptom and got no new one."""
        line = syntax.line_in(self.request.source, asked.fixed, asked.line)
        moved = replace(asked, line=line, end_line=line)
        fixed = replace(plan, source=asked.fixed, asked=(line,))
        try:
            old = self._run(plan)
            if old.error is None:
                # Where time ended a loop, it is to end at the same turn: else the clock tells the two apart.
                fixed = replace(fixed, stops=frozenset(old.stopped))
            new = self._run(fixed)
        except RunFailedError as problem:
            return "unverified", str(problem)
        if new.error is not None and (old.error is None or new.error.text != old.error.text):
            return "unverified", f"the fixed program raises {new.error.kind}: {new.error.text[:160]}"
        judgement = self._by(moved, fixed, new)
        if judgement.outcome == "confirmed":
            return "unverified", f"the symptom is still there: {judgement.why}"
        is_cut = old.out_of_time or new.out_of_time or set(new.stopped) - set(old.stopped)
        if len(new.walks) < len(old.walks) and not is_cut:
            return "unverified", f"the fixed program runs {len(new.walks)} backwards, not {len(old.walks)}"
        return "verified", judgement.why
