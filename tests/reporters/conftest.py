"""A report that has one of everything a format must cope with, and the files it must look like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lintgrad.diagnostics import (
    Applicability,
    Confidence,
    Diagnostic,
    Edit,
    Fix,
    PathNote,
    Severity,
    Span,
)
from lintgrad.reporters import Report, RuleInfo

ROOT = Path("/repo")
TRAIN = "src/train.py"
HELPERS = "src/my helpers.py"

TRAIN_TEXT = """\
import torch
from helpers import advance

model, critic = build()
hidden = model.encode(torch.zeros(8, 4))

for x, y in loader:
    output = model(x, hidden)
    loss = criterion(output, y)
    loss.backward()
    optimizer.step()

if use_critic:
\tfor x, y in loader:
\t\tadvance(critic, "判别器", x); critic_loss = critic(x).mean(); critic_loss.backward(retain_graph=True)
"""

HELPERS_TEXT = (
    "def advance(module, label, batch):\r\n"
    "    output = module(\r\n"
    "        batch,\r\n"
    "    )\r\n"
    "    output.sum().backward()\r\n"
)


def span(line: int, column: int, length: int) -> Span:
    return Span(line, column, line, column + length)


def find(text: str, line: int, code: str) -> Span:
    """The span of `code` in this line."""
    return span(line, text.split("\n")[line - 1].index(code) + 1, len(code))


SECOND_BACKWARD = Diagnostic(
    path=TRAIN,
    span=find(TRAIN_TEXT, 10, "loss.backward()"),
    code="LG101",
    name="second-backward",
    severity=Severity.ERROR,
    confidence=Confidence.CERTAIN,
    message="`loss.backward()` walks the graph of `hidden`, which an earlier backward freed",
    help="compute `hidden` inside the loop, or cut it off with `hidden = hidden.detach()` when its graph is"
    " not meant to be trained through",
    notes=(
        PathNote(
            TRAIN,
            find(TRAIN_TEXT, 5, "model.encode(torch.zeros(8, 4))"),
            "the graph of `hidden` is built once, before the loop",
        ),
        PathNote(TRAIN, find(TRAIN_TEXT, 10, "loss.backward()"), "the first iteration frees what it saved"),
        PathNote(TRAIN, find(TRAIN_TEXT, 7, "for x, y in loader"), "the second iteration begins"),
        PathNote(TRAIN, find(TRAIN_TEXT, 10, "loss.backward()"), "walks into the freed graph of `hidden`"),
    ),
    fix=Fix(
        "detach `hidden` where it is built",
        Applicability.UNSAFE,
        (Edit(Span(5, 41, 5, 41), ".detach()"),),
    ),
    tags=("autograd",),
)

RETAINED = Diagnostic(
    path=TRAIN,
    span=find(TRAIN_TEXT, 15, "retain_graph=True"),
    code="LG103",
    name="retain-graph-in-loop",
    severity=Severity.WARNING,
    confidence=Confidence.LIKELY,
    message="`retain_graph=True` keeps a graph that no later backward walks",
    notes=(
        PathNote(
            TRAIN,
            find(TRAIN_TEXT, 15, 'advance(critic, "判别器", x)'),
            "another graph is built and walked in `advance`",
        ),
        PathNote(HELPERS, Span(2, 14, 4, 6), "by this call"),
        PathNote(
            HELPERS,
            Span(5, 5, 5, 28),
            "and walked here, all of it, before the one that `critic_loss` hangs on is built"
            " by the next call of `critic`",
        ),
        PathNote(
            TRAIN,
            find(TRAIN_TEXT, 15, "retain_graph=True"),
            "nothing walks `losses[0](1)` again, and 100% of it is kept",
        ),
    ),
    help="leave `retain_graph=True` out",
    fix=Fix(
        "remove `retain_graph=True`",
        Applicability.SAFE,
        (Edit(find(TRAIN_TEXT, 15, "retain_graph=True"), ""),),
    ),
)

UNCALLED = Diagnostic(
    path=HELPERS,
    span=Span(2, 14, 4, 6),
    code="LG502",
    name="eval-mode-missing",
    severity=Severity.INFO,
    confidence=Confidence.POSSIBLE,
    message="`module(batch)` runs in training mode: dropout drops 50% of it, and batch norm learns",
)

UNPARSED = Diagnostic(
    path="src/broken.py",
    span=Span(3, 1, 3, 1),
    code="LG902",
    name="syntax-error",
    severity=Severity.ERROR,
    confidence=Confidence.CERTAIN,
    message="the file could not be parsed: unexpected end of file",
)

RULES = {
    "LG101": RuleInfo(
        "LG101",
        "second-backward",
        "a backward walks a graph that an earlier backward has freed",
        Severity.ERROR,
        "autograd",
        "# second-backward (LG101)\n\n## Why\n\nA backward frees what it\nhas walked.\n\n"
        "## Limits\n\nNone.\n",
        "https://example.org/rules/LG101",
        ("autograd", "raises"),
    ),
    "LG103": RuleInfo("LG103", "retain-graph-in-loop", "a retained graph is not needed", Severity.WARNING),
    "LG502": RuleInfo("LG502", "eval-mode-missing", "evaluation runs in training mode", Severity.WARNING),
    "LG601": RuleInfo("LG601", "softmax-before-ce", "cross entropy gets probabilities", Severity.ERROR),
}

DIAGNOSTICS = tuple(sorted((SECOND_BACKWARD, RETAINED, UNCALLED, UNPARSED), key=lambda d: d.sort_key))

SAMPLE = Report(
    diagnostics=DIAGNOSTICS,
    root=ROOT,
    version="0.1.0",
    texts={TRAIN: TRAIN_TEXT, HELPERS: HELPERS_TEXT, "src/broken.py": "def f(\n    x\n"},
    rules=RULES,
    files_checked=12,
    project_uri="https://example.org/lintgrad",
)

EMPTY = Report(diagnostics=(), root=ROOT, version="0.1.0", files_checked=12)

SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.fixture
def sample() -> Report:
    return SAMPLE


@pytest.fixture
def empty() -> Report:
    return EMPTY


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Asserts that the text is what the named file holds; `--update` writes it there instead."""

    def check(name: str, text: str) -> None:
        file = SNAPSHOTS / name
        if request.config.getoption("--update"):
            file.write_bytes(text.encode())
        assert text == file.read_bytes().decode()

    return check
