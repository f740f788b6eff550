"""Which functions need no run on inferred parameters, since others were seen to call them."""

from __future__ import annotations

from lintgrad.engine.result import Root
from lintgrad.engine.roots import needless

A, B, C = ("a.py", 0), ("b.py", 0), ("c.py", 3)
MAIN = ("main.py", -1)


def dropped(**reached: set[Root]) -> frozenset[Root]:
    names = {"a": A, "b": B, "c": C, "main": MAIN}
    return needless({names[name]: frozenset(found) for name, found in reached.items()})


def test_what_no_other_reaches_is_kept() -> None:
    assert dropped(a={A}, b=set(), main=set()) == frozenset()


def test_what_another_file_calls_is_needless() -> None:
    assert dropped(a={A}, main={A, B}) == {A}


def test_a_file_itself_is_always_run() -> None:
    assert dropped(a={MAIN}, main=set()) == frozenset()


def test_of_a_circle_the_first_is_kept() -> None:
    assert dropped(a={A, B}, b={A, B}) == {B}
    assert dropped(c={B}, b={C}) == {C}


def test_a_circle_that_is_entered_from_outside_is_needless() -> None:
    assert dropped(a={B}, b={A}, main={A, B}) == {A, B}
