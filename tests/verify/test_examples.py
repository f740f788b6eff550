"""Each example does on torch what its marks say, and nothing else that a rule is about.

Every rule's oracle is asked of every line of every example. One that speaks where there is no mark is
wrong, or the example has a fault that nobody has marked.
"""

from __future__ import annotations

import ast
import gc
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from lintgrad.documents import Document, Example, Program, load_all

pytest.importorskip("torch")

from lintgrad.verify.child import confine, job, syntax
from lintgrad.verify.child.changes import Changes
from lintgrad.verify.child.forking import RunFailedError, forked
from lintgrad.verify.child.oracles import judge
from lintgrad.verify.child.oracles.case import Case, Happened
from lintgrad.verify.child.record import Record
from lintgrad.verify.child.run import Plan
from lintgrad.verify.protocol import Asked

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="each program runs in a fork"),
]

DOCUMENTS = load_all(Path(__file__).parents[2] / "rules")
EXAMPLES = [(document, example) for document in DOCUMENTS for example in document.examples]
NAMES = [f"{document.rule.code}: {example.title}" for document, example in EXAMPLES]
JUDGED = [d for d in DOCUMENTS if d.rule.oracle not in ("none", "unparsable")]

SAME = {
    "LG103": {"LG104"},  # what a loop keeps for nothing is kept for nothing
    "LG105": {"LG101"},  # the same error, with another cause
    "LG202": {"LG201", "LG307"},  # the value left its graph, and the step finds nothing
    "LG208": {"LG307", "LG309", "LG310"},  # the step finds nothing, and others' gradients are for no step
    "LG211": {"LG103", "LG104"},  # the graph that is kept for the term is kept for nothing
    "LG309": {"LG307"},  # the optimizer finds nothing in the old parameters
    "LG317": {"LG307"},  # the step finds nothing
    "LG504": {"LG307"},  # the step finds nothing
    "LG605": {"LG309"},  # no optimizer has the layer, which is newer than it
    "LG606": {"LG310"},  # no optimizer has the parameters
}
"""By the rule of a mark: rules of which the fault is a part, or follows from it."""

UNASKED = {"LG201", "LG208", "LG211", "LG501", "LG502", "LG504"}
"""Rules whose oracle asks what becomes of a value, and not what it was meant for: the linter says where."""


@pytest.fixture(scope="module", autouse=True)
def ready() -> None:
    """Make this process one that runs are forked of."""
    confine.prepare()
    job.ready()
    gc.collect()
    gc.freeze()  # runs look for garbage often


@dataclass
class Shown:
    """What one program shows, and what it shows when something of it is changed."""

    program: Program
    runs: dict[tuple[Changes, frozenset[int] | None], Record] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = range(1, self.program.text.count("\n") + 1)
        self.plan = Plan(self.program.text, "example.py", tuple(self.lines), seconds=30)
        self.record = self._run(Changes(), None)
        self.places = {line: syntax.statement_lines(self.program.text, line, line) for line in self.lines}
        self.looped = {line: syntax.has_loop_around(self.program.text, line) for line in self.lines}

    def says(self, document: Document, line: int) -> bool:
        """Whether the document's oracle confirms its fault at a line."""
        asked = Asked(document.rule.code, document.rule.name, document.rule.oracle, line)
        case = Case(asked, self.record, self.places[line], self.looped[line], self._again)
        return judge(case).outcome == "confirmed"

    def stacks(self) -> list[tuple[int, ...]]:
        """Of all that happened, the lines it came through, the innermost first."""
        record = self.record
        events: list[Happened] = [
            *record.walks,
            *record.steps,
            *record.cuts,
            *record.problems,
            *record.sights,
        ]
        return [*(event.lines for event in events), *record.writes]

    def calls(self) -> set[int]:
        """The lines that call functions of the program: what happens in those is not theirs alone."""
        through = {line for stack in self.stacks() for line in stack[1:]}
        tree = ast.parse(self.program.text)
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        return through | {call.lineno for call in calls if ast.unparse(call.func).rpartition(".")[2] in own}

    def _again(self, changes: Changes) -> Record | None:
        try:
            return self._run(changes, frozenset(self.record.stopped))
        except RunFailedError:
            return None

    def _run(self, changes: Changes, stops: frozenset[int] | None) -> Record:
        if (changes, stops) not in self.runs:
            self.runs[changes, stops] = forked(replace(self.plan, change=changes, stops=stops))
        return self.runs[changes, stops]


@pytest.mark.parametrize(("document", "example"), EXAMPLES, ids=NAMES)
def test_examples_show_their_marks_and_nothing_else(document: Document, example: Example) -> None:
    program = document.program(example)
    if document.rule.oracle == "unparsable":
        assert syntax_error_lines(program.text) == program.lines(document.rule.code, "expect", "miss")
        return
    if document.rule.oracle == "none" and document.rule.category == "scale":
        pytest.skip("a framework is needed")
    shown = Shown(program)

    assert sorted(unmarked(shown)) == []
    error = shown.record.error
    known = error is None or documented(document, example, error.text) or any(explained(shown, error.text))
    assert known, f"no rule explains {error}"


def documented(document: Document, example: Example, text: str) -> bool:
    """Whether a bad example of a rule without an oracle ends with an error that its document tells of."""
    unjudged = document.rule.oracle == "none" and example.verdict == "bad"
    return unjudged and any(part in text for part in document.raises)


def unmarked(shown: Shown) -> Iterator[tuple[str, int]]:
    """The rules and lines at which a fault is seen that has no mark."""
    marks = [mark for mark in shown.program.marks if mark.kind != "noise"]
    told = {mark.code for mark in marks} | set().union(*(SAME.get(mark.code, set()) for mark in marks))
    calls = shown.calls()
    for document in JUDGED:
        code = document.rule.code
        marked = {mark.line for mark in marks if mark.code == code}
        here = {mark.line for mark in marks if code in SAME.get(mark.code, set())}
        # A helper that is right elsewhere is not to blame: its caller is marked instead.
        inner = {line for stack in shown.stacks() if marked & set(stack) for line in stack}
        others = [line for line in shown.lines if line not in marked | here | calls | inner]
        if code in UNASKED or (code in told and not marked):
            continue
        yield from (
            (code, line) for line in others if not ignored(shown, line) and shown.says(document, line)
        )


def ignored(shown: Shown, line: int) -> bool:
    """Whether the example suppresses what is found at a line."""
    return "# lintgrad: ignore" in shown.program.text.splitlines()[line - 1]


def explained(shown: Shown, text: str) -> Iterator[bool]:
    """For each mark of a rule that is about errors with this text, whether its fault is there."""
    for document in JUDGED:
        about = any(part in text for part in document.raises) or document.rule.oracle == "carried-graph"
        for line in shown.program.lines(document.rule.code, "expect", "miss") if about else ():
            yield shown.says(document, line)


def syntax_error_lines(program: str) -> list[int | None]:
    """The line at which Python itself stops reading, if it does."""
    try:
        compile(program, "<example>", "exec")
    except SyntaxError as error:
        return [error.lineno]
    return []
