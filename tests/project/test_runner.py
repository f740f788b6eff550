"""Many files: in one process or several, in whatever order, with one result."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from lintgrad.config import Settings
from lintgrad.engine import Analysis, Engine, FileResult
from lintgrad.project import pool as pool_module
from lintgrad.project import runner as runner_module
from lintgrad.project.discovery import LintFile
from lintgrad.project.runner import Runner
from lintgrad.project.worker import Worker

SETTINGS = Settings(frozenset({"LG101", "LG102", "LG902"}))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.syspath_prepend(Path(__file__).parent.parent / "fakes")
    fakelint = import_module("fakelint")
    made: Engine = fakelint.engine(fakelint.catalog())
    return made


Write = Callable[..., list[tuple[LintFile, Settings]]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(**texts: str) -> list[tuple[LintFile, Settings]]:
        work = []
        for name, text in texts.items():
            path = tmp_path / f"{name}.py"
            path.write_text(f"import torch\n{text}\n", encoding="utf-8")
            work.append((LintFile(path.name, path), SETTINGS))
        return work

    return make


def brief(results: list[FileResult]) -> list[tuple[str, list[str]]]:
    return [(result.path, [d.code for d in result.diagnostics]) for result in results]


def test_results_come_in_the_order_of_the_files(engine: Engine, write: Write) -> None:
    work = write(a="fault(LG102)", b="fine", c="fault(LG101)\n" * 50)
    expected = [("a.py", ["LG102"]), ("b.py", []), ("c.py", ["LG101"] * 50)]
    for jobs in (None, 1, 2, 3):
        assert brief(Runner(Worker(engine), jobs).run(work)) == expected


def test_results_are_the_same_for_any_number_of_processes(engine: Engine, write: Write) -> None:
    words = ("fault(LG101)", "fault(LG102)  # noqa", "syntax error", "fine", "crash(LG101)")
    work = write(**{f"f{n}": "\n".join(words[n % 5 :]) for n in range(30)})
    alone = Runner(Worker(engine), 1).run(work)
    together = Runner(Worker(engine), 2).run(work)
    assert [(r.path, r.diagnostics, r.suppressed, r.failures, r.texts) for r in alone] == [
        (r.path, r.diagnostics, r.suppressed, r.failures, r.texts) for r in together
    ]


def test_a_file_that_takes_its_process_down_is_named(engine: Engine, write: Write) -> None:
    work = write(a="fault(LG101)", b="die()", c="fault(LG102)", d="die()", e="fine")
    results = Runner(Worker(engine), 2).run(work)
    assert brief(results) == [
        ("a.py", ["LG101"]),
        ("b.py", []),
        ("c.py", ["LG102"]),
        ("d.py", []),
        ("e.py", []),
    ]
    assert [result.failures for result in results] == [
        (),
        ("b.py: the process that worked on it died",),
        (),
        ("d.py: the process that worked on it died",),
        (),
    ]


def test_a_file_that_is_gone_is_a_finding(engine: Engine, write: Write, tmp_path: Path) -> None:
    work = write(a="fault(LG101)", b="fine")
    (tmp_path / "a.py").unlink()
    results = Runner(Worker(engine)).run(work)
    assert brief(results) == [("a.py", ["LG902"]), ("b.py", [])]
    assert results[0].diagnostics[0].message == "the file cannot be read: no such file or directory"


def test_a_file_may_vanish_between_two_looks(engine: Engine, write: Write, tmp_path: Path) -> None:
    work = write(a="fine", b="fault(LG101)")

    def unlink(done: int, _total: int) -> None:
        if done == 1:
            (tmp_path / "b.py").unlink()

    results = Runner(Worker(engine), progress=unlink).run(work)
    assert brief(results) == [("a.py", []), ("b.py", ["LG902"])]


def test_a_folder_in_the_place_of_a_file_is_a_finding(engine: Engine, tmp_path: Path) -> None:
    (result,) = Runner(Worker(engine)).run([(LintFile("x.py", tmp_path), SETTINGS)])
    assert [d.message for d in result.diagnostics] == ["the file cannot be read: is a directory"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_is_told(engine: Engine, write: Write, jobs: int) -> None:
    told: list[tuple[int, int]] = []
    work = write(a="fault(LG101)", b="fine", c="fault(LG102)")
    (work[1][0].path).write_text("gated out", encoding="utf-8")
    Runner(Worker(engine), jobs, lambda done, total: told.append((done, total))).run(work)
    assert told == [(1, 2), (2, 2)]


def test_a_pool_is_started_only_when_it_pays(
    engine: Engine, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def pool(_engine: object, jobs: list[object], workers: int, _progress: object) -> dict[object, object]:
        asked.append(workers)
        return {job.file: Analysis(job.file.shown) for job in jobs}  # type: ignore[attr-defined]

    monkeypatch.setattr(pool_module, "run_in_pool", pool)
    monkeypatch.setattr(runner_module, "_processors", lambda: 8)

    def workers(files: int, jobs: int | None = None) -> list[int]:
        asked.clear()
        Runner(Worker(engine), jobs).run(write(**{f"f{n}": "fine" for n in range(files)}))
        return asked.copy()

    assert workers(23) == []
    assert workers(24) == [3]
    assert workers(100) == [8]
    assert workers(24, jobs=1) == []
    assert workers(3, jobs=2) == [2]
    assert workers(3, jobs=9) == [3]
    assert workers(1, jobs=9) == []
