"""What running the program has shown of a finding, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from lintgrad.diagnostics import Diagnostic, Verdict, Verification
from lintgrad.reporters.jsonform import JsonObject


def verdict_words(verification: Verification) -> str:
    """`confirmed on torch 2.9: evidence`; what is inconclusive has its reason."""
    if verification.verdict is Verdict.INCONCLUSIVE:
        return _with("inconclusive", verification.reason)
    on = f" on torch {_version(verification.torch)}" if verification.torch else ""
    how = ", with stand-ins for what the file lacks" if verification.how == "function" else ""
    return _with(f"{verification.verdict.value}{on}{how}", verification.evidence)


def fix_words(verification: Verification) -> str:
    """What running the program with the fix has shown; empty where it was not run."""
    if verification.fix == "verified":
        return "verified: with it the fault is gone and nothing new goes wrong"
    if verification.fix == "unverified":
        return _with("not verified", verification.fix_reason)
    return ""


def verification_object(verification: Verification) -> JsonObject:
    """The verification as JSON and SARIF hold it."""
    return {
        "verdict": verification.verdict.value,
        "oracle": verification.oracle,
        "evidence": verification.evidence,
        "reason": verification.reason,
        "seconds": round(verification.seconds, 3),
        "torch": verification.torch,
        "how": verification.how,
        "fix": verification.fix,
        "fix_reason": verification.fix_reason,
        "sandbox": list(verification.sandbox),
    }


def tally(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 confirmed, 1 refuted`; empty where nothing was verified."""
    counts = Counter(d.verification.verdict for d in diagnostics if d.verification is not None)
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])


def _with(what: str, told: str) -> str:
    return f"{what}: {told}" if told else what


def _version(torch: str) -> str:
    """The version without the build that follows a plus sign."""
    return torch.partition("+")[0]
