"""A rule's document, whole: its prose, and its examples as programs with marks.

A document is the rule's page and its test. Its form: front matter, a title `# name (code)`, then the
sections Why, Setup (may be missing), Bad, Good, Fix (may be missing) and Limits, in this order. Setup
holds one `python` block that stands before every example of the document. Bad and Good hold examples:
a `###` title, prose, one `python` block and, if wanted, a `diagnostic` block with what lintgrad prints
for the program.

Terms. A *mark* is a comment at the end of a line of code: `# expect: LG101` (the rule reports this
line), `# miss: LG101` (the line has the fault and the rule does not see it yet) or `# noise: LG101`
(the rule reports the line and should not). Several codes are separated by commas, several marks
stand one behind another. The *program* of an example is the setup, an empty line and the example,
without marks; its lines are counted from the first line of the setup.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from lintgrad.catalog.rule import CatalogError, Rule, page, parse_front_matter
from lintgrad.catalog.toml import loads

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from importlib.resources.abc import Traversable
    else:
        from importlib.abc import Traversable

Verdict = Literal["bad", "good"]
MarkKind = Literal["expect", "miss", "noise"]

SECTIONS = ("Why", "Setup", "Bad", "Good", "Fix", "Limits")
"""All sections that a document may have, in their order."""

REQUIRED = ("Why", "Bad", "Good", "Limits")
"""The sections that no document may lack."""

_MARK = re.compile(r"\s*#\s*(expect|miss|noise):\s*([A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)\s*$")
_CODE = re.compile(r"[A-Z]+\d+")
_VERDICTS: dict[str, Verdict] = {"Bad": "bad", "Good": "good"}


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """What a line is said to have; `line` counts from the first line of the text it stands in."""

    line: int
    code: str
    kind: MarkKind


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block; `start` and `end` are the 1-based lines of its fences in the page."""

    language: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Example:
    """A titled example; `code` still has its marks, `diagnostic` is the block of rendered output."""

    title: str
    verdict: Verdict
    prose: str
    code: str
    diagnostic: Block | None


@dataclass(frozen=True, slots=True)
class Program:
    """An example with its setup, as a file that stands alone, and its marks in that file's lines."""

    text: str
    marks: tuple[Mark, ...]

    def lines(self, code: str, *kinds: MarkKind) -> list[int]:
        """The lines marked with `code` by a mark of one of `kinds`, sorted."""
        return sorted(mark.line for mark in self.marks if mark.code == code and mark.kind in kinds)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document.

    `raises` are texts of which torch's error holds one, for rules about errors. `body` is the page:
    the document without its front matter. `sections` maps each section's name to its text, in the
    order of the page.
    """

    rule: Rule
    raises: tuple[str, ...]
    title: str
    body: str
    sections: dict[str, str]
    setup: str
    examples: tuple[Example, ...]

    def of(self, verdict: Verdict) -> list[Example]:
        """The Bad or the Good examples."""
        return [example for example in self.examples if example.verdict == verdict]

    def program(self, example: Example) -> Program:
        """The program of one of the document's examples."""
        text, marks = strip_marks(example.code)
        if not self.setup:
            return Program(text, tuple(marks))
        head = f"{self.setup}\n"
        offset = head.count("\n")
        return Program(head + text, tuple(replace(mark, line=mark.line + offset) for mark in marks))


def strip_marks(code: str) -> tuple[str, list[Mark]]:
    """`code` without its marks, and the marks."""
    lines, marks = code.split("\n"), list[Mark]()
    for number, line in enumerate(lines, start=1):
        rest = line
        while found := _MARK.search(rest):
            rest = rest[: found.start()]
            kind = _mark_kind(found[1])
            marks += [Mark(number, mark, kind) for mark in _CODE.findall(found[2])]
        lines[number - 1] = rest
    return "\n".join(lines), sorted(marks)


def load(document: Traversable) -> Document:
    """The document in the file `document`; raises `CatalogError` where it breaks the form."""
    return parse(document.read_text(encoding="utf-8"), document.name)


def load_all(folder: Traversable) -> list[Document]:
    """All documents (`LG*.md`) in `folder`, in the order of their codes."""
    files = [file for file in folder.iterdir() if file.name.startswith("LG") and file.name.endswith(".md")]
    return sorted((load(file) for file in files), key=lambda document: document.rule.code)


def parse(text: str, name: str) -> Document:
    """The document with the given text; `name` is the file's, for messages.

    Raises `CatalogError` where the text breaks the form.
    """
    body = page(text)
    normal = text.replace("\r\n", "\n")
    front = normal[: len(normal) - len(body)].strip().strip("+")
    rule = parse_front_matter(front, name)
    lines = list(enumerate(body.split("\n"), start=1))
    sections = _split(lines, "## ")
    _check_order(list(sections), name)
    setup = [block.text for block in _blocks(sections["Setup"])] if "Setup" in sections else []
    if len(setup) > 1:
        raise CatalogError(f"{name}: more than one block in Setup")
    examples = [example for section in _VERDICTS for example in _examples(section, sections[section], name)]
    return Document(
        rule=rule,
        raises=_raises(front, name),
        title=lines[0][1].removeprefix("# "),
        body=body,
        sections={heading: _text(part) for heading, part in sections.items()},
        setup=setup[0] if setup else "",
        examples=tuple(examples),
    )


Lines = list[tuple[int, str]]
"""Lines of the page with their 1-based numbers."""


def _split(lines: Lines, heading: str) -> dict[str, Lines]:
    """The parts under each heading that starts with `heading`; fenced lines are no headings."""
    parts: dict[str, Lines] = {}
    current: Lines = []
    fenced = False
    for number, line in lines:
        fenced ^= line.startswith("```")
        if not fenced and line.startswith(heading):
            current = parts.setdefault(line.removeprefix(heading).strip(), [])
        else:
            current.append((number, line))
    return parts


def _check_order(found: list[str], name: str) -> None:
    if found != [section for section in SECTIONS if section in found]:
        raise CatalogError(f"{name}: sections are {', '.join(found)}; the order is {', '.join(SECTIONS)}")
    missing = [section for section in REQUIRED if section not in found]
    if missing:
        raise CatalogError(f"{name}: no section {', '.join(missing)}")


def _examples(section: str, lines: Lines, name: str) -> Iterator[Example]:
    for title, part in _split(lines, "### ").items():
        blocks = list(_blocks(part))
        programs = [block for block in blocks if block.language == "python"]
        outputs = [block for block in blocks if block.language == "diagnostic"]
        if len(programs) != 1 or len(outputs) > 1 or len(blocks) != len(programs) + len(outputs):
            raise CatalogError(f"{name}: {title!r} needs one python block and at most one diagnostic block")
        before = [(number, line) for number, line in part if number < programs[0].start]
        diagnostic = outputs[0] if outputs else None
        yield Example(title, _VERDICTS[section], _text(before), programs[0].text, diagnostic)


def _blocks(lines: Lines) -> Iterator[Block]:
    opening: tuple[int, str] | None = None
    inside: list[str] = []
    for number, line in lines:
        if not line.startswith("```"):
            inside.append(line)
        elif opening is None:
            opening, inside = (number, line.removeprefix("```")), []
        else:
            yield Block(opening[1], "".join(f"{text}\n" for text in inside), opening[0], number)
            opening = None


def _text(lines: Lines) -> str:
    return "\n".join(line for _, line in lines).strip()


def _raises(front: str, name: str) -> tuple[str, ...]:
    texts = loads(front).get("raises", [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise CatalogError(f"{name}: 'raises' is no list of strings in the front matter")
    return tuple(texts)


def _mark_kind(word: str) -> MarkKind:
    kinds: dict[str, MarkKind] = {"expect": "expect", "miss": "miss", "noise": "noise"}
    return kinds[word]
