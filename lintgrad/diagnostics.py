"""What lintgrad says: places, findings as checks make them, diagnostics as users read them.

A check yields `Finding`s, whose places are nodes of the lowered program. The engine resolves the
places to lines and columns and makes `Diagnostic`s of them; nothing above the engine sees a node.

Lines and columns are 1-based; columns count Unicode code points; an end column is the column after
the last character.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Severity(enum.Enum):
    """What a fault does to the training: never how sure lintgrad is (see `Confidence`)."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    def __init__(self, _value: str) -> None:
        # 0 for the gravest. Kept in each, as sorting asks for it often.
        self.rank = len(type(self).__members__)


class Confidence(enum.Enum):
    """How sure the machine is that the fault is there."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"

    def __init__(self, _value: str) -> None:
        # 0 for the surest.
        self.rank = len(type(self).__members__)

    @staticmethod
    def weakest(*confidences: Confidence) -> Confidence:
        """The least sure of `confidences`; certain when there is none."""
        return max(confidences, key=lambda c: c.rank, default=Confidence.CERTAIN)


class Verdict(enum.Enum):
    """What running the program on real torch says of a finding."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"


class Applicability(enum.Enum):
    """How far a fix may be trusted.

    A safe fix keeps the meaning of the program but for the fault; an unsafe one may change what is
    trained and wants `--unsafe-fixes`; a display fix is shown and never applied.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one file's text."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A place in the lowered program: the file, and the node's origin in its syntax tree.

    `origin` is opaque here and to checks; only `lintgrad.source` turns it into a `Span`.
    """

    path: str
    origin: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Site) and self.path == other.path and self.origin is other.origin

    def __hash__(self) -> int:
        return hash((self.path, id(self.origin)))


# --- what checks make ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the path that leads to a finding."""

    site: Site
    message: str


@dataclass(frozen=True, slots=True)
class InsertAfter:
    """Write `text` right behind the expression at `site`."""

    site: Site
    text: str


@dataclass(frozen=True, slots=True)
class ReplaceName:
    """Write `text` for the attribute name of the attribute expression at `site`."""

    site: Site
    text: str


@dataclass(frozen=True, slots=True)
class RemoveArgument:
    """Take the keyword argument `keyword` out of the call at `site`, with its comma."""

    site: Site
    keyword: str


@dataclass(frozen=True, slots=True)
class RemoveStatement:
    """Take out the statement at `site`; `pass` stands for it where the block would be empty."""

    site: Site


@dataclass(frozen=True, slots=True)
class InsertStatement:
    """Write the statement `text` on a line of its own before the statement at `site`."""

    site: Site
    text: str


@dataclass(frozen=True, slots=True)
class AssignResult:
    """Turn the expression statement at `site`, `x.f()`, into `target = x.f()`."""

    site: Site
    target: str


Action = InsertAfter | ReplaceName | RemoveArgument | RemoveStatement | InsertStatement | AssignResult


@dataclass(frozen=True, slots=True)
class FixPlan:
    """A repair in terms of the program; `lintgrad.fixes` makes text edits of it."""

    title: str
    applicability: Applicability
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check reports; the rule it belongs to is the check's own.

    `message` names the user's code in backticks and says what goes wrong, lower case, no full
    stop. `steps` is the path, in the order in which things happen, the finding's own place last.
    `severity` overrides the rule's own where a rule has two.
    """

    site: Site
    message: str
    steps: tuple[Step, ...] = ()
    help: str = ""
    confidence: Confidence = Confidence.CERTAIN
    severity: Severity | None = None
    fix: FixPlan | None = None


# --- what users read ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PathNote:
    """A step of a diagnostic's path, resolved."""

    path: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `text`; an empty span inserts."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair as text edits of one file, none overlapping another."""

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of running a finding's program on real torch.

    `oracle` names the way of telling. `evidence` is what was seen (confirmed, refuted), `reason` why
    nothing can be said (inconclusive). `how` is `file` where the file itself was run, `function` where a
    function of it was run on stand-ins. `fix` is `verified` where the program with the finding's fix was
    run too, the symptom was gone and nothing new went wrong, `unverified` where it was not so, for
    `fix_reason`, and empty where there was none to run. `sandbox` names the layers that held.
    """

    verdict: Verdict
    oracle: str
    evidence: str = ""
    reason: str = ""
    seconds: float = 0.0
    torch: str = ""
    how: str = ""
    fix: str = ""
    fix_reason: str = ""
    sandbox: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """The evidence, or the reason where there is none."""
        return self.evidence or self.reason


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One reported fault, all places resolved; the currency of reporters and fixes.

    `verification` is there once the program has been run on real torch.
    """

    path: str
    span: Span
    code: str
    name: str
    severity: Severity
    confidence: Confidence
    message: str
    help: str = ""
    notes: tuple[PathNote, ...] = ()
    fix: Fix | None = None
    tags: tuple[str, ...] = field(default=())
    verification: Verification | None = None

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """By file, then place, then code."""
        return (self.path, self.span.line, self.span.column, self.code, self.message)
