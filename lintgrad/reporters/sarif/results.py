"""Diagnostics as SARIF results."""

from __future__ import annotations

from collections.abc import Mapping

from lintgrad.diagnostics import Applicability, Diagnostic, Edit, Fix, PathNote
from lintgrad.reporters.fingerprints import line_hashes, stable_fingerprints
from lintgrad.reporters.jsonform import Json, JsonObject
from lintgrad.reporters.report import Report
from lintgrad.reporters.sarif.places import Places, region
from lintgrad.reporters.sarif.prose import LEVELS, link, literal, sentence
from lintgrad.reporters.sources import code_lines
from lintgrad.reporters.trail import fault_number, trail
from lintgrad.reporters.verdicts import verdict_words, verification_object


def results(report: Report, places: Places, indices: Mapping[str, int]) -> list[Json]:
    """A result for each diagnostic, in their order; `indices` are the rules' places in the log."""
    prints = _fingerprints(report, places)
    return [
        _result(d, places, indices[d.code], fingerprints)
        for d, fingerprints in zip(report.diagnostics, prints, strict=True)
    ]


def _fingerprints(report: Report, places: Places) -> list[JsonObject]:
    found = report.diagnostics
    lines = [places.sources.line(d.path, d.span.line) for d in found]
    own = stable_fingerprints(
        (d.code, places.uri(d.path), code) for d, code in zip(found, code_lines(report), strict=True)
    )
    hashes = {path: line_hashes(report.texts[path]) for path in {d.path for d in found} & report.texts.keys()}
    prints: list[JsonObject] = []
    for d, line, fingerprint in zip(found, lines, own, strict=True):
        # A wrong hash is worse than none: the uploader fills in one that is not there.
        known = {} if line is None else {"primaryLocationLineHash": hashes[d.path][d.span.line - 1]}
        prints.append({**known, "lintgrad/v1": fingerprint})
    return prints


def _result(d: Diagnostic, places: Places, index: int, fingerprints: JsonObject) -> JsonObject:
    steps = trail(d)
    fault = fault_number(d, steps)
    related = {number: step for number, step in enumerate(steps, start=1) if number != fault}
    result: dict[str, Json] = {
        "ruleId": d.code,
        "ruleIndex": index,
        "level": LEVELS[d.severity],
        "message": {"text": _message(d, related)},
        "locations": [{"physicalLocation": places.physical(d.path, d.span, context=True)}],
        "partialFingerprints": fingerprints,
        "properties": {"confidence": d.confidence.value, **_verified(d)},
    }
    if related:
        result["relatedLocations"] = [_location(step, places, number) for number, step in related.items()]
        result["codeFlows"] = [_code_flow(d, steps, fault, places)]
    if d.fix is not None and d.fix.edits and d.fix.applicability is not Applicability.DISPLAY:
        result["fixes"] = [_fix(d.path, d.fix, places)]
    return result


def _message(d: Diagnostic, related: Mapping[int, PathNote]) -> str:
    """What is wrong, in a sentence that can stand alone; the path, linked; what to write; the verdict."""
    parts = [literal(sentence(d.message))]
    if related:
        links = "; ".join(link(step.message, number) for number, step in related.items())
        parts.append(f"The path to it: {links}.")
    if d.help:
        parts.append(literal(sentence(d.help)))
    if d.verification is not None:
        parts.append(literal(sentence(verdict_words(d.verification))))
    return " ".join(parts)


def _verified(d: Diagnostic) -> dict[str, Json]:
    """The verdict as further properties, where there is one."""
    return {} if d.verification is None else {"verification": verification_object(d.verification)}


def _location(step: PathNote, places: Places, number: int) -> JsonObject:
    return {"id": number, **_spoken(step, places, step.message)}


def _spoken(step: PathNote, places: Places, message: str) -> dict[str, Json]:
    return {
        "physicalLocation": places.physical(step.path, step.span),
        "message": {"text": literal(sentence(message))},
    }


def _code_flow(d: Diagnostic, steps: tuple[PathNote, ...], fault: int, places: Places) -> JsonObject:
    locations: list[Json] = [
        {
            "location": _spoken(step, places, step.message or d.message),
            "executionOrder": number,
            "importance": "essential" if number == fault else "important",
        }
        for number, step in enumerate(steps, start=1)
    ]
    return {"threadFlows": [{"locations": locations}]}


def _fix(path: str, fix: Fix, places: Places) -> JsonObject:
    return {
        "description": {"text": sentence(fix.title)},
        "artifactChanges": [
            {
                "artifactLocation": places.artifact(path),
                "replacements": [_replacement(edit) for edit in fix.edits],
            }
        ],
    }


def _replacement(edit: Edit) -> JsonObject:
    replacement: dict[str, Json] = {"deletedRegion": region(edit.span)}
    if edit.text:
        replacement["insertedContent"] = {"text": edit.text}
    return replacement
