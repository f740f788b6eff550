"""How a rule's document is read."""

from __future__ import annotations

import pytest

from lintgrad.catalog import CatalogError
from lintgrad.diagnostics import Severity
from lintgrad.documents import Mark, parse, strip_marks

FRONT = """\
+++
code = "LG999"
name = "some-fault"
summary = "something is wrong"
severity = "info"
category = "lintgrad"
since = "0.1.0"
oracle = "raises"
raises = ["one text", "another"]
+++

"""

BODY = """\
# some-fault (LG999)

## Why

Because.

```console
## Bad
$ not a heading
```

## Setup

```python
import torch
# comment
```

## Bad

### First

Prose of
the first.

```python
# no heading
x = 1  # expect: LG999
```

```diagnostic
old
```

### Second

```python
y = 2  # expect: LG101, LG999  # miss: LG102
```

## Good

### Fine

```python
z = 3
```

## Limits

None.
"""


def test_parts_of_a_document() -> None:
    document = parse(FRONT + BODY, "LG999-some-fault.md")

    assert (document.rule.code, document.rule.severity) == ("LG999", Severity.INFO)
    assert document.raises == ("one text", "another")
    assert document.title == "some-fault (LG999)"
    assert document.body == BODY
    assert list(document.sections) == ["Why", "Setup", "Bad", "Good", "Limits"]
    assert document.sections["Why"].endswith("$ not a heading\n```")
    assert document.setup == "import torch\n# comment\n"


def test_examples() -> None:
    document = parse(FRONT + BODY, "LG999-some-fault.md")
    first, second = document.of("bad")
    (fine,) = document.of("good")

    assert (first.title, first.prose) == ("First", "Prose of\nthe first.")
    assert first.code == "# no heading\nx = 1  # expect: LG999\n"
    assert first.diagnostic is not None
    assert first.diagnostic.text == "old\n"
    lines = BODY.split("\n")
    assert lines[first.diagnostic.start - 1 : first.diagnostic.end] == ["```diagnostic", "old", "```"]
    assert second.diagnostic is None
    assert (fine.verdict, fine.code) == ("good", "z = 3\n")


def test_program_has_the_setup_and_no_marks() -> None:
    document = parse(FRONT + BODY, "LG999-some-fault.md")
    first, second = document.of("bad")
    program = document.program(second)

    assert document.program(first).text == "import torch\n# comment\n\n# no heading\nx = 1\n"
    assert document.program(first).marks == (Mark(5, "LG999", "expect"),)
    assert program.lines("LG999", "expect") == [4]
    assert program.lines("LG102", "miss") == [4]
    assert program.lines("LG102", "expect") == []


def test_program_without_setup() -> None:
    body = BODY.replace("## Setup\n\n```python\nimport torch\n# comment\n```\n\n", "")
    document = parse(FRONT + body, "x.md")

    assert document.setup == ""
    assert document.program(document.examples[0]).marks == (Mark(2, "LG999", "expect"),)


def test_windows_line_ends() -> None:
    assert parse((FRONT + BODY).replace("\n", "\r\n"), "x.md") == parse(FRONT + BODY, "x.md")


@pytest.mark.parametrize(
    ("line", "text", "marks"),
    [
        ("f()", "f()", []),
        ("f()  # expect: LG101", "f()", [Mark(1, "LG101", "expect")]),
        ("f() # noise:LG101 ,LG102", "f()", [Mark(1, "LG101", "noise"), Mark(1, "LG102", "noise")]),
        ("f()  # noqa: LG101  # expect: LG901", "f()  # noqa: LG101", [Mark(1, "LG901", "expect")]),
        ("f()  # expect: LG101, LG101", "f()", [Mark(1, "LG101", "expect"), Mark(1, "LG101", "expect")]),
        ("f()  # we expect: LG101 here", "f()  # we expect: LG101 here", []),
        ("f()  # expect: a lot", "f()  # expect: a lot", []),
    ],
)
def test_marks(line: str, text: str, marks: list[Mark]) -> None:
    assert strip_marks(line) == (text, marks)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("## Limits", "## Bounds", "sections are Why, Setup, Bad, Good, Bounds"),
        ("## Why", "## Good", "sections are Good, Setup"),
        ("## Limits\n\nNone.\n", "", "no section Limits"),
        ("```python\nz = 3\n```", "z = 3", "'Fine' needs one python block"),
        ("```python\nz = 3\n```", "```python\nz = 3\n```\n\n```text\n```", "'Fine' needs one python block"),
        ("\n## Bad\n\n###", "\n```python\n```\n\n## Bad\n\n###", "more than one block in Setup"),
    ],
)
def test_what_breaks_the_form(old: str, new: str, message: str) -> None:
    assert BODY.count(old) == 1
    with pytest.raises(CatalogError, match=message):
        parse(FRONT + BODY.replace(old, new), "x.md")


def test_raises_must_be_a_list() -> None:
    front = FRONT.replace('["one text", "another"]', '"one text"')
    with pytest.raises(CatalogError, match="'raises' is no list of strings"):
        parse(front + BODY, "x.md")


def test_front_matter_must_be_there() -> None:
    with pytest.raises(CatalogError):
        parse(BODY, "x.md")
