"""One run of one program, in a process made for it: instruments on, program in, record out."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import random
import sys
import time
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from lintgrad.verify.child import confine, limits, syntax
from lintgrad.verify.child.changes import Changes, detached
from lintgrad.verify.child.devices import without_accelerators
from lintgrad.verify.child.frames import Program, lines_of
from lintgrad.verify.child.gradients import Gradients
from lintgrad.verify.child.instruments import Instruments, watching
from lintgrad.verify.child.loops import Loops, Patience
from lintgrad.verify.child.nodes import Nodes
from lintgrad.verify.child.record import Problem, Record
from lintgrad.verify.child.swallow import swallow
from lintgrad.verify.protocol import Entry

_PRINTED = 2000
_PLENTY = 8
"""How often each asked line that runs at all has run when loops around it need not go on."""
_WANTED = 3
"""How often an asked line is to run before a loop around it may be cut short."""


@dataclass(frozen=True)
class Plan:
    """What to run. `asked` are the lines whose running counts; without an `entry` the whole file runs.

    `stops` are the turns at which another run ended loops; a `bold` run on stand-ins gives every unknown
    value a graph.
    """

    source: str
    path: str
    asked: tuple[int, ...] = ()
    seconds: float = 10.0
    memory: int = 2 << 30
    turns: int = 0
    seed: int = 0
    change: Changes = field(default_factory=Changes)
    entry: Entry | None = None
    stops: frozenset[int] | None = None
    bold: bool = False


@dataclass
class Run:
    """A program about to run, or running."""

    plan: Plan
    hits: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Program.file = self.plan.path or "<program>"
        parsed = self.plan.change.apply(ast.parse(self.plan.source, Program.file))
        made = syntax.instrument(parsed, self.plan.asked)
        self.tree = made.tree
        soft, hard = 0.05 * self.plan.seconds, 0.6 * self.plan.seconds
        patience = Patience(soft, hard, self.plan.turns, self._is_shown)
        self.loops = Loops(made.bodies, made.firsts, patience, self._head, self._is_wanted, self.plan.stops)
        nodes = Nodes(self.loops)
        self.watch = Instruments(self.loops, nodes, Gradients(self.loops), change=self.plan.change)
        self.record = Record(hits=self.hits)

    def names(self) -> dict[str, Callable[..., Any]]:
        """What the calls added to the program call."""
        return {
            syntax.TURN: self.loops.turn,
            syntax.ENTER: self.loops.enter,
            syntax.LEAVE: self.loops.leave,
            syntax.ITEMS: self.loops.items,
            syntax.HIT: self._hit,
            syntax.RECEIVER: self.watch.receiver,
            syntax.NAMED: self.watch.named,
            syntax.COMPARED: self.watch.compared,
            syntax.CUT: detached,
            syntax.SETTLE: self.watch.settle,
        }

    def go(self, execute: Callable[[Run], None]) -> Record:
        """Call `execute` under the instruments; what was seen, whatever comes of it."""
        begun = time.monotonic()
        output = io.StringIO()
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            try:
                limits.alarm(max(0.2, 0.85 * self.plan.seconds))
                with watching(self.watch):
                    execute(self)
            except limits.OutOfTimeError:
                self.record.out_of_time = True
            except SystemExit as end:
                if end.code not in (None, 0):
                    self.record.error = Problem(
                        lines_of(end), "SystemExit", f"the program ended with {end.code}"
                    )
            except BaseException as problem:  # noqa: BLE001 - whatever a program raises is what it shows
                text = str(problem).strip() or type(problem).__name__
                self.record.error = Problem(lines_of(problem), type(problem).__name__, text[:500])
            finally:
                limits.quiet()
        self.record.seconds = time.monotonic() - begun
        self.record.printed = output.getvalue()[-_PRINTED:]
        self.record.refused = list(confine.refused())
        return self._filled()

    def _filled(self) -> Record:
        watch, record = self.watch, self.record
        record.walks, record.steps = watch.nodes.walks, watch.gradients.steps
        record.cuts, record.drops = watch.found_cuts(), list(watch.drops.values())
        is_whole = record.error is None and not record.out_of_time
        record.growth, record.problems = watch.growth(whole=is_whole), watch.problems
        record.writes = sorted({w.lines for writes in watch.nodes.writes.values() for w in writes})
        record.sights = watch.sights()
        record.repairs = watch.repairs
        record.turns, record.stopped = self.loops.turns, self.loops.stopped
        return record

    def _head(self, loop: int) -> None:
        self.watch.head(loop)

    def _hit(self, line: int) -> None:
        self.hits[line] = self.hits.get(line, 0) + 1

    def _is_shown(self) -> bool:
        return min((count for count in self.hits.values()), default=0) >= _PLENTY

    def _is_wanted(self) -> bool:
        return any(0 < self.hits.get(line, 0) < _WANTED for line in self.plan.asked)


def whole_file(run: Run) -> None:
    """Run the program as the script that it is."""
    module = types.ModuleType("__main__")
    module.__dict__.update(run.names(), __file__=run.plan.path, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    exec(compile(run.tree, Program.file, "exec"), module.__dict__)  # noqa: S102 - this is what verifying is


def perform(plan: Plan, folder: str, execute: Callable[[Run], None] = whole_file) -> Record:
    """Run `plan` in this process, which does nothing else afterwards; raises `SyntaxError`."""
    run = Run(plan)
    home = _prepare(plan)
    run.record.confined = list(confine.confine(folder, plan.seconds, plan.memory, readable=home))
    if not plan.change.steps:
        _without_steps()
    return run.go(execute)


def _prepare(plan: Plan) -> list[str]:
    """Make ready for the program; the folders that it may read for its own imports."""
    home = Path(plan.path).resolve().parent
    homes = [str(home)] if plan.path and home.is_dir() else []
    sys.path[:0] = homes
    sys.dont_write_bytecode = True  # the file's own modules may be read, their folder not written to
    torch.manual_seed(plan.seed)
    random.seed(plan.seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(plan.seed)
    without_accelerators()
    swallow(plan.path)
    lines = plan.source.splitlines(keepends=True)
    linecache.cache[Program.file] = (len(plan.source), None, lines, Program.file)
    return homes


def _without_steps() -> None:
    for name in torch.optim.__all__:
        kind = getattr(torch.optim, name)
        if isinstance(kind, type):
            setattr(kind, "step", _idle)  # noqa: B010 - the type checker knows no step of a type


def _idle(_: Any, closure: Any = None) -> Any:
    return None if closure is None else closure()
