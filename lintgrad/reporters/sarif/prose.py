"""Sentences as SARIF's readers want them: whole, with a full stop, with links that are meant as such."""

from __future__ import annotations

import re

from lintgrad.diagnostics import Severity

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def sentence(text: str) -> str:
    """`text`, which begins small and ends without a full stop, as a sentence."""
    text = " ".join(text.split())
    if not text.endswith((".", "!", "?")):
        text += "."
    return text[:1].upper() + text[1:]


def literal(text: str) -> str:
    """`text` with brackets that a reader would take for a link to a location made plain."""
    return re.sub(r"\[([^\[\]]*)\](?=\()", r"\\[\1\\]", text)


def link(text: str, target: int) -> str:
    """A link to the related location with the id `target`."""
    escaped = re.sub(r"([\\\[\]])", r"\\\1", text)
    return f"[{escaped}]({target})"


def paragraph_under(heading: str, markdown: str) -> str:
    """The first paragraph of the section with this heading on one line; empty where there is none."""
    pattern = rf"^#+ {re.escape(heading)}\s*\n+(?P<text>[^#`\s].*?)(?:\n\s*\n|\Z)"
    match = re.search(pattern, markdown, re.MULTILINE | re.DOTALL)
    return " ".join(match["text"].split()) if match else ""
