"""What a run showed, as plain data: it crosses from the run's process to the one that judges.

`lines` is always the program's stack, the innermost line first. A *walk* is one backward: it runs
autograd nodes. A *token* stands for one node. A *stamp* tells, for each loop around, how often the loop was
entered before and which turn it was in.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from lintgrad.verify.child.frames import Lines

Stamp = dict[int, tuple[int, int]]


@dataclass
class Again:
    """Nodes that a walk ran, or was to run, though walk `walk` had run them.

    `freed`: that walk freed them. `rooted`: it began at one of them, so that all it computed is computed
    again. `carried`: an earlier turn of the loop made them, and this walk begins at what this turn made.
    `made` is the line that made the first of them, `op` its name.
    """

    walk: int
    nodes: int
    freed: int
    rooted: bool
    carried: bool
    made: int
    op: str
    firm: bool = True


@dataclass
class Stale:
    """A saved tensor that was written to before the walk came: which node saved it, who wrote."""

    op: str
    made: int
    writer: str
    lines: Lines
    by_step: bool
    firm: bool = True


@dataclass
class Walk:
    """One backward.

    `norms` are those of all `.grad` reached, before and after; `digest` is of their values. `creates` counts
    the nodes of the graph of the gradients that it made (with `create_graph`).
    """

    number: int
    lines: Lines
    stamp: Stamp
    keeps: bool
    fills: bool
    nodes: int = 0
    leaves: int = 0
    creates: int = 0
    again: list[Again] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    needed_by: list[int] = field(default_factory=list)
    error: str = ""
    norms: tuple[float, float] = (0.0, 0.0)
    digest: str = ""
    firm: bool = True


@dataclass
class Step:
    """One `optimizer.step`.

    `fresh`: gradients that no step had used; `stale`: those used before, still there; `lost`: those that
    were cleared unused, of which walk `lost_walk` computed the last and `lost_lines` cleared it; `ratio`: the
    `norm` of what is applied by that of what came since the last step (0 where nothing came).
    `touched`: those that a backward came to since, be it with zeros. `idle`: no walk ran since this
    optimizer's last step.
    """

    lines: Lines
    stamp: Stamp
    optimizer: int
    number: int
    parameters: int
    fresh: int = 0
    stale: int = 0
    lost: int = 0
    touched: int = 0
    lost_walk: int = -1
    lost_lines: Lines = ()
    norm: float = 0.0
    ratio: float = 0.0
    idle: bool = False
    firm: bool = True


@dataclass
class Cut:
    """A value taken out of the graph of a tensor that needed gradients."""

    lines: Lines
    op: str
    serial: int
    used: bool = False


@dataclass
class Drop:
    """A statement that drops what a method call returned, or names a method.

    `kind`: `tensor` (a tensor's method), `function` (a module's, that gave a tensor), `other` (something
    else's), `named` (a method, not called).
    `changed`: the receiver is not as it was before.
    """

    line: int
    kind: str
    changed: bool
    method: str


@dataclass
class Growth:
    """One entry of a loop: nodes of earlier turns alive at each head, and the bytes that they keep."""

    loop: int
    first_line: int
    last_line: int
    nodes: list[int]
    bytes: list[int]
    lines: list[int]

    @property
    def rise(self) -> int:
        """By how many nodes the last turns grew each; 0 where they did not."""
        last = self.nodes[-3:]
        steady = len(last) == 3 and 0 < last[0] < last[1] < last[2]
        return last[2] - last[1] if steady else 0


@dataclass
class Sight:
    """What a watcher saw; `kind` says what, and its oracle knows the `facts` that come with it."""

    lines: Lines
    kind: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass
class Problem:
    """An exception that came out of the program, or one at a call into torch that it may have caught."""

    lines: Lines
    kind: str
    text: str


@dataclass
class Record:
    """All that one run showed.

    `hits` counts how often the asked lines ran. On stand-ins, `skipped` are statements that failed, `guessed`
    counts conditions on unknown values, `repairs` calls into torch that were made to fit.
    """

    walks: list[Walk] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    growth: list[Growth] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    sights: list[Sight] = field(default_factory=list)
    writes: list[Lines] = field(default_factory=list)
    hits: dict[int, int] = field(default_factory=dict)
    error: Problem | None = None
    out_of_time: bool = False
    turns: int = 0
    stopped: list[int] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    guessed: int = 0
    repairs: int = 0
    printed: str = ""
    confined: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def of(self, kind: str) -> list[Sight]:
        """What was seen of one kind."""
        return [sight for sight in self.sights if sight.kind == kind]

    def dump(self) -> bytes:
        """For `load`."""
        return json.dumps(asdict(self)).encode()

    @staticmethod
    def load(text: bytes) -> Record:
        """The record in what `dump` gave."""
        data: dict[str, Any] = json.loads(text)
        error = data["error"]
        return Record(
            walks=[_walk(item) for item in data["walks"]],
            steps=[_with_stamp(Step, item) for item in data["steps"]],
            cuts=[_made(Cut, item) for item in data["cuts"]],
            drops=[Drop(**item) for item in data["drops"]],
            growth=[Growth(**item) for item in data["growth"]],
            problems=[_made(Problem, item) for item in data["problems"]],
            sights=[_made(Sight, item) for item in data["sights"]],
            writes=[tuple(lines) for lines in data["writes"]],
            hits={int(line): count for line, count in data["hits"].items()},
            error=_made(Problem, error) if error else None,
            **{key: data[key] for key in _PLAIN},
        )


_PLAIN = (
    "out_of_time",
    "turns",
    "stopped",
    "skipped",
    "guessed",
    "repairs",
    "printed",
    "confined",
    "refused",
    "seconds",
)


def _made(kind: type[Any], data: dict[str, Any]) -> Any:
    return kind(**{**data, "lines": tuple(data["lines"])})


def _with_stamp(kind: type[Any], data: dict[str, Any]) -> Any:
    stamp = {int(loop): (entry, turn) for loop, (entry, turn) in data["stamp"].items()}
    return _made(kind, {**data, "stamp": stamp})


def _walk(data: dict[str, Any]) -> Walk:
    again = [Again(**item) for item in data["again"]]
    stale = [_made(Stale, item) for item in data["stale"]]
    walk: Walk = _with_stamp(Walk, {**data, "again": again, "stale": stale})
    return walk
