"""Suppression comments: what they say, which lines they speak for, and which serve nobody."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from lintgrad.catalog import Catalog, Rule
from lintgrad.diagnostics import Applicability, Confidence, Diagnostic, Edit, Severity, Span
from lintgrad.suppressions import Directive, read_comments, read_directives, split, unused


def rule(code: str, name: str) -> Rule:
    return Rule(code, name, "a summary", Severity.WARNING, "graph", "0.1.0")


CATALOG = Catalog(
    (
        rule("LG101", "second-backward"),
        rule("LG102", "silent-second-backward"),
        rule("LG301", "missing-zero-grad"),
        rule("LG901", "unused-suppression"),
    ),
    Path(),
)

ON = frozenset({"LG101", "LG102", "LG301", "LG901"})


def diagnostic(line: int, code: str = "LG101") -> Diagnostic:
    found = CATALOG.find(code)
    assert found is not None
    span = Span(line, 1, line, 2)
    return Diagnostic("a.py", span, code, found.name, found.severity, Confidence.CERTAIN, "it breaks")


def directive(comment: str) -> Directive:
    (found,) = read_directives(f"x()  {comment}\n")
    return found


# --- what a comment says ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comment", "items"),
    [
        ("# noqa: LG101", ["LG101"]),
        ("#noqa:LG101", ["LG101"]),
        ("# NOQA : lg101", ["lg101"]),
        ("# noqa: LG101, LG102", ["LG101", "LG102"]),
        ("# noqa: LG101,E501 F401", ["LG101", "E501", "F401"]),
        ("# noqa: LG101 the reason", ["LG101"]),
        ("# noqa: LG101 - LG102", ["LG101"]),
        ("# noqa: LG1", ["LG1"]),
        ("# type: ignore # noqa: LG101 # pylint: disable=x", ["LG101"]),
        ("# lintgrad: ignore[LG101]", ["LG101"]),
        ("#lintgrad:ignore[second-backward, LG3] reason", ["second-backward", "LG3"]),
        ("# LintGrad: Ignore [ LG101 ]", ["LG101"]),
        ("# lintgrad: ignore[]", []),
    ],
)
def test_what_a_directive_names(comment: str, items: list[str]) -> None:
    found = directive(comment)
    assert [item.text for item in found.items] == items
    assert [found.comment.text[item.start : item.end] for item in found.items] == items
    assert not found.blanket


@pytest.mark.parametrize(
    "comment", ["# noqa", "#noqa", "# NoQA", "# noqa because", "# noqa # more", "# x # noqa"]
)
def test_a_noqa_without_codes_is_blanket(comment: str) -> None:
    found = directive(comment)
    assert found.blanket
    assert found.items == ()


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa:",
        "# noqa: the reason",
        "# noqaLG101",
        "# noqa-file",
        "# flake8: noqa",
        "# flake8: noqa: LG101",
        "# lintgrad: ignore",
        "# lintgrad: ignore LG101",
        "# lintgrad ignore[LG101]",
        "# lintgrad: nothing",
    ],
)
def test_what_is_no_suppression(comment: str) -> None:
    assert read_directives(f"x()  {comment}\n") == ()


def test_two_directives_in_one_comment() -> None:
    found = read_directives("x()  # lintgrad: ignore[LG101] why # noqa: E501\n")
    assert [(d.kind, [i.text for i in d.items]) for d in found] == [("noqa", ["E501"]), ("ignore", ["LG101"])]


def test_a_string_is_no_comment() -> None:
    text = 'x("# noqa: LG101")\ny = """\n# lintgrad: ignore[LG101]\n"""\nz = f"# noqa"\n'
    assert read_directives(text) == ()


# --- the lines that it speaks for ---------------------------------------------------------------

LINES = {
    "its own line": (
        """\
        x()
        y()  # noqa: LG101
        z()
        """,
        {2},
    ),
    "the last line of a statement": (
        """\
        x(
            1,
            2,
        )  # noqa: LG101
        y()
        """,
        {1, 2, 3, 4},
    ),
    "another line of a statement": (
        """\
        x(
            1,  # noqa: LG101
            2,
        )
        """,
        {2},
    ),
    "a continued line": (
        """\
        x = 1 + \\
            y()  # noqa: LG101
        """,
        {1, 2},
    ),
    "the end of a long string": (
        '''\
        x(
            """
            text
            """,  # noqa: LG101
            y,
        )
        ''',
        {2, 3, 4},
    ),
    "the end of a long f-string": (
        '''\
        x(
            f"""
            {y}
            """,  # noqa: LG101
            y,
        )
        ''',
        {2, 3, 4},
    ),
    "the head of a loop": (
        """\
        for x in y:  # noqa: LG101
            z()
        """,
        {1},
    ),
    "alone before a statement": (
        """\
        x()
        # lintgrad: ignore[LG101]

        # more
        y(
            1,
        )
        z()
        """,
        {5, 6, 7},
    ),
    "alone before a block": (
        """\
        if x:
            # lintgrad: ignore[LG101]
            y()
            z()
        """,
        {3},
    ),
    "alone inside brackets": (
        """\
        x(
            # lintgrad: ignore[LG101]
            # more
            1,
            2,
        )
        """,
        {4},
    ),
    "noqa alone": (
        """\
        # noqa: LG101
        x()
        """,
        {1},
    ),
    "alone at the end": (
        """\
        x()
        # lintgrad: ignore[LG101]
        """,
        {2},
    ),
}


@pytest.mark.parametrize(("text", "lines"), LINES.values(), ids=LINES)
def test_the_lines_that_a_directive_covers(text: str, lines: set[int]) -> None:
    (found,) = read_directives(dedent(text))
    assert {line for line in range(20) if found.covers(line)} == lines


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_ends_a_line(end: str) -> None:
    text = end.join(["x()", "y()  # noqa: LG101", "z()", ""])
    (found,) = read_directives(text)
    assert (found.comment.line, found.comment.column) == (2, 6)


def test_other_breaking_characters_end_no_line() -> None:
    (found,) = read_directives("x = '\u2028\x0c'\ny()  # noqa: LG101\n")
    assert found.comment.line == 2


def test_comments_up_to_an_error_are_read() -> None:
    text = "x()  # noqa: LG101\ny(\n"
    assert [comment.line for comment in read_comments(text)] == [1]
    assert read_comments("x()  # one\n  y()\n z()  # two\n")[0].text == "# one"


# --- what it suppresses -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("# noqa", []),
        ("# noqa: LG101", ["LG102", "LG301"]),
        ("# noqa: LG1", ["LG301"]),
        ("# noqa: E501", ["LG101", "LG102", "LG301"]),
        ("# lintgrad: ignore[second-backward]", ["LG102", "LG301"]),
        ("# lintgrad: ignore[LG101, missing-zero-grad]", ["LG102"]),
        ("# lintgrad: ignore[ALL]", []),
        ("# lintgrad: ignore[nothing]", ["LG101", "LG102", "LG301"]),
    ],
)
def test_what_is_kept(comment: str, codes: list[str]) -> None:
    found = [diagnostic(1, code) for code in ("LG101", "LG102", "LG301")]
    kept, _ = split(found, read_directives(f"x()  {comment}\n"), CATALOG)
    assert [d.code for d in kept] == codes


def test_other_lines_are_kept() -> None:
    found = [diagnostic(1), diagnostic(2), diagnostic(3)]
    kept, used = split(found, read_directives("x()\ny()  # noqa: LG101\nz()\n"), CATALOG)
    assert [d.span.line for d in kept] == [1, 3]
    assert [item.text for _, item in used] == ["LG101"]


# --- what serves nobody -------------------------------------------------------------------------


def idle(
    text: str, findings: list[Diagnostic] | None = None, enabled: frozenset[str] = ON
) -> list[tuple[int, int, str]]:
    directives = read_directives(text)
    _, used = split(findings or [], directives, CATALOG)
    return [
        (d.span.line, d.span.column, d.message)
        for d in unused("a.py", text, directives, used, CATALOG, enabled)
    ]


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# noqa: LG101", "`noqa` of `LG101` suppresses nothing"),
        ("# noqa: LG101, LG301", "`noqa` of `LG101`, `LG301` suppresses nothing"),
        ("# noqa: E501, LG301", "`noqa` of `LG301` suppresses nothing"),
        ("# noqa: LG3", "`noqa` of `LG3` suppresses nothing"),
        ("# noqa: LG777", "`LG777` is no rule"),
        ("# lintgrad: ignore[second-backward]", "`lintgrad: ignore` of `second-backward` suppresses nothing"),
        ("# lintgrad: ignore[LG777, typo]", "`LG777`, `typo` are no rules"),
        (
            "# lintgrad: ignore[LG101, typo]",
            "`lintgrad: ignore` of `LG101` suppresses nothing; `typo` is no rule",
        ),
        ("# lintgrad: ignore[]", "`lintgrad: ignore` names no rule"),
    ],
)
def test_an_unused_suppression_is_reported(comment: str, message: str) -> None:
    assert idle(f"x()  {comment}\n") == [(1, 6, message)]


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: E501", "# noqa: LG901", "# lintgrad: ignore[LG9]"])
def test_what_is_never_unused(comment: str) -> None:
    assert idle(f"x()  {comment}\n") == []


def test_a_used_suppression_is_not_reported() -> None:
    text = "x()  # noqa: LG101, LG301\n"
    assert idle(text, [diagnostic(1, "LG101"), diagnostic(1, "LG301")]) == []
    assert idle(text, [diagnostic(1, "LG101")]) == [(1, 6, "`noqa` of `LG301` suppresses nothing")]
    assert idle("x()  # noqa: LG1\n", [diagnostic(1, "LG102")]) == []


def test_a_rule_that_is_off_is_not_held_against_its_suppression() -> None:
    text = "x()  # noqa: LG101, LG301\n"
    assert idle(text, enabled=ON - {"LG101"}) == [(1, 6, "`noqa` of `LG301` suppresses nothing")]
    assert idle(text, enabled=frozenset({"LG901"})) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x()  # noqa: LG101\n", "x()\n"),
        ("x()  # noqa: LG101 with a reason\n", "x()\n"),
        ("x()  # noqa: LG101", "x()"),
        ("x()  # noqa: E501, LG101\n", "x()  # noqa: E501\n"),
        ("x()  # noqa: LG101 E501, F401 why\n", "x()  # noqa: E501, F401 why\n"),
        ("x()  # type: ignore  # noqa: LG101\n", "x()  # type: ignore\n"),
        ("x()  # noqa: LG101  # type: ignore\n", "x()  # type: ignore\n"),
        ("x()\n# lintgrad: ignore[LG101] why\ny()\n", "x()\ny()\n"),
        ("if x:\n    # lintgrad: ignore[LG101]\n    y()\n", "if x:\n    y()\n"),
        ("x()\n# lintgrad: ignore[LG101]", "x()\n"),
        ("# lintgrad: ignore[LG101]\r\nx()\r\n", "x()\r\n"),
        ("x()  # lintgrad: ignore[LG101, second-backward]\n", "x()\n"),
    ],
)
def test_the_fix_takes_out_what_serves_nobody(before: str, after: str) -> None:
    directives = read_directives(before)
    (found,) = unused("a.py", before, directives, frozenset(), CATALOG, ON)
    assert found.fix is not None
    assert found.fix.applicability is Applicability.SAFE
    (edit,) = found.fix.edits
    assert edited(before, edit) == after


def edited(text: str, edit: Edit) -> str:
    lines = [*text.splitlines(keepends=True), ""]
    starts = [sum(map(len, lines[:n])) for n in range(len(lines))]
    begin = starts[edit.span.line - 1] + edit.span.column - 1
    end = starts[edit.span.end_line - 1] + edit.span.end_column - 1
    return text[:begin] + edit.text + text[end:]


def test_the_span_is_that_of_the_directive() -> None:
    text = "x()  # why # noqa: LG101, LG301 reason\n"
    (found,) = unused("a.py", text, read_directives(text), frozenset(), CATALOG, ON)
    assert found.span == Span(1, 12, 1, 32)
    text = "x()  # lintgrad: ignore[LG101] reason\n"
    (found,) = unused("a.py", text, read_directives(text), frozenset(), CATALOG, ON)
    assert found.span == Span(1, 6, 1, 31)
