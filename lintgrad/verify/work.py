"""A file's findings as the verifier takes them, and how verdicts come back to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lintgrad.diagnostics import Diagnostic, Verdict, Verification
from lintgrad.verify import protocol

NO_ORACLES = frozenset(("", "none", "unparsable"))
"""Oracles, as rules' documents name them, of rules that say nothing of how the program behaves."""

_REFUSED = "refused: "
"""What a line of an answer's log begins with that tells what the sandbox has refused."""

_MOST_RUNS = 6
"""Runs that a request's seconds are reckoned for at most: the file's own, and one for each fix."""


@dataclass(frozen=True)
class FileWork:
    """A file to verify.

    `location` is the absolute path of the file, `text` its source, `diagnostics` all that it has, `entries`
    where a run may enter it. `fixed` maps the place of a diagnostic to the source with its fix applied.
    """

    location: str
    text: str
    diagnostics: tuple[Diagnostic, ...]
    entries: tuple[protocol.Entry, ...] = ()
    fixed: Mapping[int, str] = field(default_factory=dict)


def asked_places(work: FileWork, oracles: Mapping[str, str]) -> list[int]:
    """The places of those of the file's diagnostics that an oracle can tell of; by code in `oracles`."""
    return [
        place
        for place, diagnostic in enumerate(work.diagnostics)
        if oracles.get(diagnostic.code, "") not in NO_ORACLES
    ]


def request(number: int, work: FileWork, oracles: Mapping[str, str], seconds: float) -> protocol.Request:
    """The question for all of the file's diagnostics; a run may take `seconds`."""
    asked = tuple(_asked(work, place, oracles) for place in asked_places(work, oracles))
    runs = min(1 + len({one.fixed for one in asked if one.fixed}), _MOST_RUNS)
    return protocol.Request(
        id=number,
        path=work.location,
        source=work.text,
        findings=asked,
        entries=work.entries,
        budget=protocol.Budget(seconds=seconds * runs),
    )


def _asked(work: FileWork, place: int, oracles: Mapping[str, str]) -> protocol.Asked:
    diagnostic = work.diagnostics[place]
    span = diagnostic.span
    return protocol.Asked(
        code=diagnostic.code,
        name=diagnostic.name,
        oracle=oracles[diagnostic.code],
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        related=tuple(
            protocol.Related(note.span.line, note.message, "" if note.path == diagnostic.path else note.path)
            for note in diagnostic.notes
        ),
        fixed=work.fixed.get(place, ""),
    )


def verified(
    work: FileWork, oracles: Mapping[str, str], verifications: Sequence[Verification]
) -> tuple[Diagnostic, ...]:
    """The file's diagnostics, those that were asked about with their `verifications`, in order."""
    made = list(work.diagnostics)
    for place, verification in zip(asked_places(work, oracles), verifications, strict=True):
        made[place] = replace(made[place], verification=verification)
    return tuple(made)


def from_answer(answer: protocol.Answer) -> list[Verification]:
    """The answer's verdicts as diagnostics hold them.

    A program that has tried to get out of its sandbox has not run as it would have, so nothing that was seen
    of it counts.
    """
    refused = next((line.removeprefix(_REFUSED) for line in answer.log if line.startswith(_REFUSED)), "")
    if refused:
        reason = f"the program tried to {refused}, which the sandbox refuses"
        return [
            Verification(
                Verdict.INCONCLUSIVE,
                verdict.oracle,
                reason=reason,
                seconds=verdict.seconds,
                torch=answer.torch,
                sandbox=answer.confined,
            )
            for verdict in answer.verdicts
        ]
    return [
        Verification(
            verdict=Verdict(verdict.verdict),
            oracle=verdict.oracle,
            evidence=verdict.evidence,
            reason=verdict.reason,
            seconds=verdict.seconds,
            torch=answer.torch,
            how=verdict.how,
            fix=verdict.fix,
            fix_reason=verdict.fix_reason,
            sandbox=answer.confined,
        )
        for verdict in answer.verdicts
    ]


def inconclusive(request_: protocol.Request, reason: str, torch: str, seconds: float) -> list[Verification]:
    """The same verdict for all that was asked, for `reason`."""
    return [
        Verification(Verdict.INCONCLUSIVE, asked.oracle, reason=reason, seconds=seconds, torch=torch)
        for asked in request_.findings
    ]
