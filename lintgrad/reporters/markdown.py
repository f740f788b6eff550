"""Markdown, for the summary of a CI job and for comments."""

from __future__ import annotations

import re

from lintgrad.diagnostics import Diagnostic
from lintgrad.reporters.notebooks import place
from lintgrad.reporters.report import Report
from lintgrad.reporters.sources import Sources
from lintgrad.reporters.summary import counted, summary
from lintgrad.reporters.verdicts import verdict_words

LIMIT = 1_000_000
"""How many bytes are written at most: GitHub refuses a summary over 1 MiB, all of it."""

_SPECIAL = re.compile(r"([\\`*_<>\[\]|#~&])")


def render(report: Report) -> str:
    """The run in a sentence, then a section for each diagnostic with its line and its path."""
    return sections(report, f"lintgrad: {summary(report)}")


def sections(report: Report, title: str) -> str:
    """The diagnostics below a heading; those that would be too much are counted in the last line."""
    parts = [f"### {escaped(title)}\n"]
    size = len(parts[0].encode("utf-8", "surrogatepass"))
    sources = Sources(report.texts)
    for shown, d in enumerate(report.diagnostics):
        section = _section(d, report, sources)
        size += len(section.encode("utf-8", "surrogatepass"))
        if size > LIMIT:
            parts.append(f"\n{counted(len(report.diagnostics) - shown, 'more finding')} not shown here.\n")
            break
        parts.append(section)
    return "".join(parts)


def _section(d: Diagnostic, report: Report, sources: Sources) -> str:
    where = place(d.path, d.span, report.notebooks)
    blocks = [f"#### {d.severity.value} {d.code} {d.name}: {_code(where)}", escaped(d.message)]
    line = sources.line(d.path, d.span.line)
    if line is not None and line.strip():
        blocks.append(_fenced(line.strip()))
    if d.notes:
        blocks.append("\n".join(_step(number, d, report) for number in range(1, len(d.notes) + 1)))
    if d.help:
        blocks.append(f"**help:** {escaped(d.help)}")
    if d.verification is not None:
        blocks.append(f"**verdict:** {escaped(verdict_words(d.verification))}")
    return "".join(f"\n{block}\n" for block in blocks)


def _step(number: int, d: Diagnostic, report: Report) -> str:
    note = d.notes[number - 1]
    where = _code(place(note.path, note.span, report.notebooks))
    return f"{number}. {where}: {escaped(note.message)}" if note.message else f"{number}. {where}"


def escaped(text: str) -> str:
    """Prose of a message, of which only what stands in backticks is markup."""
    pieces = " ".join(text.split()).split("`")
    if len(pieces) % 2 == 0:
        return _SPECIAL.sub(r"\\\1", "`".join(pieces))
    return "`".join(
        piece if index % 2 else _SPECIAL.sub(r"\\\1", piece) for index, piece in enumerate(pieces)
    )


def _code(text: str) -> str:
    return f"`{text}`" if "`" not in text else escaped(text)


def _fenced(line: str) -> str:
    """The line as a block of code, fenced by more backticks than it holds itself."""
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}python\n{line}\n{fence}"
