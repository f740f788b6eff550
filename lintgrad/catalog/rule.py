"""A rule as its document declares it.

A document is Markdown with TOML front matter between two lines of `+++`. A lint run needs the front
matter alone, so only the head of the file is read and parsed for it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lintgrad.catalog.toml import TOMLDecodeError, loads
from lintgrad.diagnostics import Severity

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from importlib.resources.abc import Traversable
    else:
        from importlib.abc import Traversable

HEAD_BYTES = 4096
FENCE = "+++"

UNUSED_SUPPRESSION = "LG901"
SYNTAX_ERROR = "LG902"
ENGINE_CODES = frozenset({UNUSED_SUPPRESSION, SYNTAX_ERROR})
"""Rules that have a document and no check: the engine itself makes their findings."""


class CatalogError(Exception):
    """A rule's document that does not follow the form; the message names the document."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule's front matter says.

    `libraries` are words of which a file must hold one for the rule to concern it, `triggers` words
    of which it must then hold one as well (any file will do where there are none). `document` is
    the name of the file in the rules' folder. `unused_results` is for a rule that finds expressions whose
    value nobody uses: the last one of a notebook's cell is shown to its user.
    """

    code: str
    name: str
    summary: str
    severity: Severity
    category: str
    since: str
    oracle: str = ""
    preview: bool = False
    triggers: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ("torch",)
    references: tuple[str, ...] = ()
    document: str = ""
    unused_results: bool = False

    @property
    def module(self) -> str:
        """The name of the rule's module in `lintgrad.checks`."""
        return self.name.replace("-", "_")


def read_head(document: Traversable) -> Rule:
    """The rule that `document` declares; raises `CatalogError`."""
    with document.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
        front = _front_matter(head)
        if front is None:
            front = _front_matter(head + stream.read())
    if front is None:
        raise CatalogError(f"{document.name}: no front matter between lines of {FENCE}")
    return parse_front_matter(front, document.name)


def parse_front_matter(text: str, document: str) -> Rule:
    """The rule declared by `text`, the TOML of the file called `document`; raises `CatalogError`."""
    try:
        table = loads(text)
    except TOMLDecodeError as error:
        raise CatalogError(f"{document}: {error}") from None
    severity = _string(table, "severity", document)
    if severity not in {s.value for s in Severity}:
        raise CatalogError(f"{document}: severity is {severity!r}, not error, warning or info")
    return Rule(
        code=_string(table, "code", document),
        name=_string(table, "name", document),
        summary=_string(table, "summary", document),
        severity=Severity(severity),
        category=_string(table, "category", document),
        since=_string(table, "since", document),
        oracle=_string(table, "oracle", document, ""),
        preview=table.get("preview") is True,
        triggers=_strings(table, "triggers", document),
        libraries=_strings(table, "libraries", document) or ("torch",),
        references=_strings(table, "references", document),
        document=document,
        unused_results=table.get("unused-results") is True,
    )


def page(text: str) -> str:
    """A document's text without its front matter."""
    normal = text.replace("\r\n", "\n")
    if not normal.startswith(f"{FENCE}\n"):
        return normal
    _, _, rest = normal[len(FENCE) :].partition(f"\n{FENCE}\n")
    return rest.lstrip("\n")


def _front_matter(head: bytes) -> str | None:
    """The text between the fences, or None where the second fence is not in `head`."""
    # A cut may fall inside a character; it then lies behind the second fence, or that is missing.
    text = head.decode("utf-8", errors="replace").replace("\r\n", "\n")
    if not text.startswith(f"{FENCE}\n"):
        return None
    front, fence, _ = text[len(FENCE) :].partition(f"\n{FENCE}\n")
    return front if fence else None


def _string(table: Mapping[str, object], key: str, document: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        problem = "no" if value is None else "no string for"
        raise CatalogError(f"{document}: {problem} {key!r} in the front matter")
    return value


def _strings(table: Mapping[str, object], key: str, document: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise CatalogError(f"{document}: {key!r} is no list of strings in the front matter")
    return tuple(value)
