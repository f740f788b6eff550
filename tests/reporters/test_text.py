from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from lintgrad.diagnostics import Applicability, Confidence, Diagnostic, Fix, PathNote, Severity, Span
from lintgrad.reporters import Report, render
from lintgrad.reporters.display import width
from lintgrad.reporters.excerpt import excerpt
from lintgrad.reporters.wrapping import wrap


def diagnostic(
    span: Span, notes: tuple[PathNote, ...] = (), path: str = "a.py", advice: str = ""
) -> Diagnostic:
    return Diagnostic(
        path, span, "LG101", "second-backward", Severity.ERROR, Confidence.CERTAIN, "breaks", advice, notes
    )


def rendered(d: Diagnostic, **texts: str) -> str:
    """The diagnostic as text, without the summary; `texts` by the stem of their file."""
    by_path = {f"{stem}.py": text for stem, text in texts.items()}
    report = Report(diagnostics=(d,), root=Path("/repo"), version="1", texts=by_path)
    return render("text", report).rsplit("\n\n", 1)[0]


def expected(text: str) -> str:
    return dedent(text).strip("\n")


def test_a_place_without_a_path() -> None:
    assert rendered(diagnostic(Span(2, 3, 2, 6)), a="x\n  abc = 1\n") == expected(
        """
        error[LG101] second-backward: breaks
         --> a.py:2:3
          |
        2 |   abc = 1
          |   ^^^
        """
    )


def test_steps_stand_in_the_order_of_events_and_the_last_one_at_the_place_is_the_fault() -> None:
    fault = Span(2, 5, 2, 6)
    notes = (
        PathNote("a.py", fault, "frees"),
        PathNote("a.py", Span(1, 1, 1, 4), "comes back"),
        PathNote("a.py", fault, "breaks"),
    )
    assert rendered(diagnostic(fault, notes), a="for x in y:\n    f()\n") == expected(
        """
        error[LG101] second-backward: breaks
         --> a.py:2:5
          |
        2 |     f()
          |     - 1. frees
        1 | for x in y:
          | --- 2. comes back
        2 |     f()
          |     ^ 3. breaks
        """
    )


def test_steps_on_one_line_share_its_excerpt() -> None:
    notes = (PathNote("a.py", Span(1, 1, 1, 2), "built"), PathNote("a.py", Span(1, 6, 1, 7), "broken"))
    assert rendered(diagnostic(Span(1, 6, 1, 7), notes), a="f() + g()").endswith(
        expected(
            """
            1 | f() + g()
              | - 1. built
              |      ^ 2. broken
            """
        )
    )


def test_the_own_place_follows_a_path_that_does_not_end_there() -> None:
    notes = (PathNote("b.py", Span(12, 1, 12, 2), "built here"),)
    text = rendered(diagnostic(Span(1, 1, 1, 2), notes, advice="move it"), a="f()", b="\n" * 11 + "g()")
    assert text == expected(
        """
        error[LG101] second-backward: breaks
          --> a.py:1:1
          ::: b.py:12:1
           |
        12 | g()
           | - 1. built here
           |
          ::: a.py:1:1
           |
         1 | f()
           | ^
           |
           = help: move it
        """
    )


def test_a_file_without_text_and_a_line_that_is_not_there() -> None:
    notes = (PathNote("gone.py", Span(7, 3, 7, 4), "built"), PathNote("a.py", Span(9, 1, 9, 2), "freed"))
    assert rendered(diagnostic(Span(1, 1, 1, 2), notes), a="f()") == expected(
        """
        error[LG101] second-backward: breaks
         --> a.py:1:1
           = 1. gone.py:7:3: built
           = 2. a.py:9:1: freed
          |
        1 | f()
          | ^
        """
    ).replace("   =", "  =")


def test_nothing_to_show_is_no_excuse_to_fail() -> None:
    assert rendered(diagnostic(Span(4, 1, 4, 2))) == "error[LG101] second-backward: breaks\n --> a.py:4:1"


def test_lines_end_as_in_python() -> None:
    """A form feed ends no line, a lone carriage return does, and neither reaches the terminal."""
    text = rendered(diagnostic(Span(3, 1, 3, 2)), a="a\x0cb\rc\r\nd\r\n")
    assert "3 | d\n  | ^" in text
    assert "\r" not in text


def test_control_characters_do_not_reach_the_terminal() -> None:
    d = replace(diagnostic(Span(1, 1, 1, 4), path="a\x1b[2J.py"), message="`\x1b]0;x\x07` and\n\u202eabc")
    text = render(
        "text",
        Report(diagnostics=(d,), root=Path("/repo"), version="1", texts={d.path: "s = '\x1b[31m\u202e'"}),
    )
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "`\ufffd]0;x\ufffd` and \ufffdabc" in text


def test_a_suggestion_is_not_called_a_fix() -> None:
    d = replace(diagnostic(Span(1, 1, 1, 2)), fix=Fix("write it anew", Applicability.DISPLAY, ()))
    assert rendered(d, a="f()").endswith("  |\n  = suggestion: write it anew")


def test_marks_stand_under_wide_combining_and_tab_characters() -> None:
    assert rendered(diagnostic(Span(1, 8, 1, 10)), a="\t判e\u0301 = xy").endswith(
        "1 |     判e\u0301 = xy\n  |           ^^"
    )


def test_a_span_over_lines_is_marked_to_the_end_of_its_first() -> None:
    assert rendered(diagnostic(Span(1, 5, 3, 2)), a="a = f(   \n    x\n)").endswith("1 | a = f(\n  |     ^^")


def test_a_long_line_is_cut_around_the_mark() -> None:
    drawn = excerpt("a" * 200 + "bcd" + "e" * 200, Span(1, 201, 1, 204), 60)
    assert drawn.text == "..." + "a" * 16 + "bcd" + "e" * 35 + "..."
    assert drawn.text[drawn.start : drawn.start + drawn.length] == "bcd"


def test_a_long_line_is_not_cut_on_the_left_without_need() -> None:
    assert excerpt("a" * 50 + "b" * 50, Span(1, 51, 1, 53), 60).text == "a" * 50 + "b" * 7 + "..."
    assert excerpt("a" * 50 + "b" * 50, Span(1, 99, 1, 101), 60).text == "..." + "a" * 7 + "b" * 50


lines = st.text(st.sampled_from("ab \t判é\u0301\u200b🙂\x1b"), max_size=200)


@given(lines, st.integers(1, 210), st.integers(0, 210), st.integers(20, 120))
def test_an_excerpt_keeps_to_its_columns(line: str, column: int, length: int, limit: int) -> None:
    drawn = excerpt(line, Span(1, column, 1, column + length), limit)
    assert width(drawn.text) <= limit
    assert 0 <= drawn.start <= limit
    assert drawn.length >= 1


@given(st.text(max_size=60), st.integers(1, 5), st.integers(1, 80), st.integers(0, 3), st.integers(1, 80))
def test_any_text_and_any_span_can_be_shown(text: str, line: int, column: int, more: int, end: int) -> None:
    span = Span(line, column, line + more, end if more else max(end, column))
    d = diagnostic(span, (PathNote("a.py", span, text), PathNote("b.py", span, "x")), advice=text)
    shown = rendered(d, a=text)
    assert shown.startswith("error[LG101] second-backward: breaks\n")


def test_prose_is_wrapped_but_not_inside_code() -> None:
    wrapped = wrap("use `loss = criterion(output, target)` in place of it", 30, "  ")
    assert wrapped == ["use", "  `loss = criterion(output, target)`", "  in place of it"]


def test_line_breaks_and_indented_code_are_kept() -> None:
    assert wrap("write\n    a = b\nin place of it", 12, "  ") == [
        "write",
        "      a = b",
        "  in place",
        "  of it",
    ]
