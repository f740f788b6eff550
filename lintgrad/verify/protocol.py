"""What the two sides of the verifier say to each other: lines of JSON, one message a line.

The child (`python -m lintgrad.verify.child [--jobs N]`, or its `__main__.py` run as a file, which finds
the rest of the package by itself) first writes one `Hello`. Then it reads a `Request` a line from stdin
and writes an `Answer` a line to stdout, in the order in which they are done, at most N at once; it ends
when stdin ends. Nothing else is ever written to stdout. All processes of the child stay in its process
group, so that one signal to the group ends them.

Lines are 1-based and those of the request's source. Both sides read what they do not know as absent, so
that fields can be added. This module imports nothing but the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

VERSION = 1
"""Of this protocol; in `Hello`."""

Mode = Literal["file", "function", "auto"]
"""How to run: the file as it is, the entry on stand-ins, or the file first and then the entry for the
findings that the file did not settle."""

Outcome = Literal["confirmed", "refuted", "inconclusive"]
How = Literal["", "file", "function"]
FixOutcome = Literal["", "verified", "unverified"]
_MODES: dict[str, Mode] = {"file": "file", "function": "function", "auto": "auto"}
_OUTCOMES: dict[str, Outcome] = {
    "confirmed": "confirmed",
    "refuted": "refuted",
    "inconclusive": "inconclusive",
}
_HOWS: dict[str, How] = {"": "", "file": "file", "function": "function"}
_FIXES: dict[str, FixOutcome] = {"": "", "verified": "verified", "unverified": "unverified"}

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class ProtocolError(Exception):
    """A line that is no message."""


@dataclass(frozen=True)
class Related:
    """A step of a finding's path; `path` is empty for the request's own file."""

    line: int
    message: str
    path: str = ""


@dataclass(frozen=True)
class Asked:
    """One finding to verify.

    `oracle` is the one that the rule's document names. `related` is the finding's path. `fixed` is the whole
    source with the finding's fix applied, or empty where there is no fix or nobody asks for it.
    """

    code: str
    name: str
    oracle: str
    line: int
    column: int = 1
    end_line: int = 0
    related: tuple[Related, ...] = ()
    fixed: str = ""


@dataclass(frozen=True)
class Entry:
    """What to run underconstrained: a function or method, or a loop at module level.

    `function` is a qualified name (`Trainer.fit`, `main`), empty for module level; `line` is where its `def`
    (or the loop) begins. `kinds` says what the machine takes names to be: from a name as the function writes
    it (`model`, `self.opt`, `args`) to a kind: module, optimizer, scheduler, scaler, criterion, loader,
    tensor, device, number, text, config, callable, instance, unknown.
    """

    function: str = ""
    line: int = 0
    kinds: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Budget:
    """What a request may cost.

    `seconds` are for all its runs together; `memory` is in bytes, added to what the child has mapped already;
    `turns` is how often a long loop's body may run (0: as the oracles need).
    """

    seconds: float = 10.0
    memory: int = 2 << 30
    turns: int = 0


@dataclass(frozen=True)
class Request:
    """The findings of one file, answered by one run wherever that does.

    `path` is shown in error texts, and its folder is where the file's own imports are looked for.
    """

    id: int
    path: str
    source: str
    findings: tuple[Asked, ...]
    mode: Mode = "auto"
    entries: tuple[Entry, ...] = ()
    budget: Budget = field(default_factory=Budget)
    seed: int = 0

    def line(self) -> str:
        """The message, with its newline."""
        return _line(asdict(self))

    @staticmethod
    def parse(line: str | bytes) -> Request:
        """The request in a line; raises `ProtocolError`."""
        data = _object(line)
        try:
            findings = tuple(_asked(_dict(item)) for item in _list(data["findings"]))
            entries = tuple(_entry(_dict(item)) for item in _list(data.get("entries", [])))
            budget = _dict(data.get("budget", {}))
            return Request(
                id=_int(data["id"]),
                path=str(data["path"]),
                source=str(data["source"]),
                findings=findings,
                mode=_MODES[_word(data.get("mode", "auto"), _MODES)],
                entries=entries,
                budget=Budget(
                    _float(budget.get("seconds", 10.0)),
                    _int(budget.get("memory", 2 << 30)),
                    _int(budget.get("turns", 0)),
                ),
                seed=_int(data.get("seed", 0)),
            )
        except KeyError as missing:
            raise ProtocolError(f"a request without {missing}") from None


@dataclass(frozen=True)
class Verdict:
    """What running says of one finding, in the order of the request's findings.

    `evidence` is one sentence with figures (confirmed, refuted); `reason` is the first cause where nothing
    can be said. `how` is the mode that settled it. `fix` tells of `Asked.fixed`: the symptom is gone and
    nothing new appeared, or `fix_reason` says what stood against it.
    """

    verdict: Outcome
    oracle: str
    evidence: str = ""
    reason: str = ""
    seconds: float = 0.0
    how: How = ""
    fix: FixOutcome = ""
    fix_reason: str = ""


@dataclass(frozen=True)
class Answer:
    """`confined` names the layers of the sandbox that held; `log` is for people who look for a cause."""

    id: int
    verdicts: tuple[Verdict, ...]
    torch: str
    confined: tuple[str, ...] = ()
    log: tuple[str, ...] = ()

    def line(self) -> str:
        """The message, with its newline."""
        return _line(asdict(self))

    @staticmethod
    def parse(line: str | bytes) -> Answer:
        """The answer in a line; raises `ProtocolError`."""
        data = _object(line)
        try:
            verdicts = tuple(_verdict(_dict(item)) for item in _list(data["verdicts"]))
            return Answer(
                id=_int(data["id"]),
                verdicts=verdicts,
                torch=str(data["torch"]),
                confined=tuple(str(item) for item in _list(data.get("confined", []))),
                log=tuple(str(item) for item in _list(data.get("log", []))),
            )
        except KeyError as missing:
            raise ProtocolError(f"an answer without {missing}") from None


@dataclass(frozen=True)
class Hello:
    """The child's first line. `problem` is empty when it can work; `no torch` when torch is not installed."""

    torch: str = ""
    python: str = ""
    problem: str = ""
    version: int = VERSION

    def line(self) -> str:
        """The message, with its newline."""
        return _line(asdict(self))

    @staticmethod
    def parse(line: str | bytes) -> Hello:
        """The greeting in a line; raises `ProtocolError`."""
        data = _object(line)
        torch, python, problem = (str(data.get(key, "")) for key in ("torch", "python", "problem"))
        return Hello(torch, python, problem, _int(data.get("version", 0)))


def _line(data: dict[str, object]) -> str:
    return json.dumps(data, separators=(",", ":")) + "\n"


def _object(line: str | bytes) -> dict[str, Json]:
    try:
        data: Json = json.loads(line)
    except ValueError as error:
        raise ProtocolError(f"no JSON: {error}") from None
    return _dict(data)


def _asked(data: dict[str, Json]) -> Asked:
    related = tuple(
        Related(_int(step["line"]), str(step["message"]), str(step.get("path", "")))
        for step in map(_dict, _list(data.get("related", [])))
    )
    return Asked(
        code=str(data["code"]),
        name=str(data["name"]),
        oracle=str(data["oracle"]),
        line=_int(data["line"]),
        column=_int(data.get("column", 1)),
        end_line=_int(data.get("end_line", 0)),
        related=related,
        fixed=str(data.get("fixed", "")),
    )


def _entry(data: dict[str, Json]) -> Entry:
    kinds = {name: str(kind) for name, kind in _dict(data.get("kinds", {})).items()}
    return Entry(str(data.get("function", "")), _int(data.get("line", 0)), kinds)


def _verdict(data: dict[str, Json]) -> Verdict:
    return Verdict(
        verdict=_OUTCOMES[_word(data["verdict"], _OUTCOMES)],
        oracle=str(data["oracle"]),
        evidence=str(data.get("evidence", "")),
        reason=str(data.get("reason", "")),
        seconds=_float(data.get("seconds", 0.0)),
        how=_HOWS[_word(data.get("how", ""), _HOWS)],
        fix=_FIXES[_word(data.get("fix", ""), _FIXES)],
        fix_reason=str(data.get("fix_reason", "")),
    )


def _word(value: Json, words: Mapping[str, str]) -> str:
    if not isinstance(value, str) or value not in words:
        raise ProtocolError(f"not one of {', '.join(words)}: {value!r}")
    return value


def _dict(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise ProtocolError(f"no object: {value!r}")
    return value


def _list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise ProtocolError(f"no list: {value!r}")
    return value


def _int(value: Json) -> int:
    if not isinstance(value, int):
        raise ProtocolError(f"no integer: {value!r}")
    return value


def _float(value: Json) -> float:
    if not isinstance(value, (int, float)):
        raise ProtocolError(f"no number: {value!r}")
    return float(value)
