"""The progress bar: only on terminals, only when a run is long."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from lintgrad.cli import progress
from lintgrad.cli.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_a_short_run_shows_nothing(clock: list[float]) -> None:
    stream = Terminal()
    bar = ProgressBar(stream)
    bar(1, 10)
    clock[0] += 0.9
    bar(2, 10)
    bar.clear()
    assert stream.getvalue() == ""


def test_a_long_run_shows_how_far_it_is_and_cleans_up(clock: list[float]) -> None:
    stream = Terminal()
    bar = ProgressBar(stream)
    clock[0] += 1.1
    bar(6, 24)
    bar(7, 24)  # a moment later: not drawn
    clock[0] += 0.2
    bar(24, 24)
    bar.clear()
    bar.clear()
    assert stream.getvalue() == (f"\r[{'#' * 6}{'.' * 18}] 6/24 files\r[{'#' * 24}] 24/24 files\r\x1b[2K")


def test_nothing_is_shown_where_there_is_no_terminal(clock: list[float]) -> None:
    stream = io.StringIO()
    bar = ProgressBar(stream)
    clock[0] += 5
    bar(1, 2)
    bar.clear()
    assert stream.getvalue() == ""
