"""What each stage of the work on a file costs, and whole runs.

    pip install pytest-benchmark
    pytest benchmarks --benchmark-group-by=func --benchmark-columns=median,iqr,rounds

The stages get the longest fixture: a program with classes, loops and several optimizers.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import libcst
import pytest

from lintgrad.cli.parts import Parts
from lintgrad.config import Settings
from lintgrad.engine import Engine
from lintgrad.engine.gate import concerned
from lintgrad.lowering import lower
from lintgrad.machine import explore
from lintgrad.models.library import TorchLibrary
from lintgrad.program.nodes import Module
from lintgrad.project.worker import Worker
from lintgrad.source import Problem, SourceFile, from_bytes, parse

Benchmark = Callable[..., object]

FIXTURES = Path(__file__).parents[1] / "fixtures"
LONGEST = max((FIXTURES / "clean").glob("*.py"), key=lambda path: path.stat().st_size)
FAULTY = max((FIXTURES / "bad").glob("*.py"), key=lambda path: path.stat().st_size)
DATA = LONGEST.read_bytes()


@cache
def engine() -> Engine:
    """The engine with all rules, loaded."""
    parts = Parts()
    made = parts.make_engine(parts.load_catalog())
    made.stages.prepare()
    return made


@cache
def settings() -> Settings:
    """All rules but previews."""
    return Settings(frozenset(rule.code for rule in engine().catalog.rules if not rule.preview))


@pytest.fixture(autouse=True)
def _no_collection() -> Iterator[None]:
    """As while a file is worked on."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def source() -> SourceFile:
    """The file, read anew: what was parsed before is not remembered."""
    made = from_bytes(str(LONGEST), DATA)
    assert isinstance(made, SourceFile)
    return made


def program() -> Module:
    """The file's program."""
    tree = parse(source())
    assert not isinstance(tree, Problem)
    return lower(str(LONGEST), tree)


def test_bare_parse_by_libcst(benchmark: Benchmark) -> None:
    benchmark(libcst.parse_module, DATA)


def test_gate(benchmark: Benchmark) -> None:
    rules = engine().catalog.rules
    assert benchmark(concerned, DATA, rules)


def test_read(benchmark: Benchmark) -> None:
    benchmark(source)


def test_parse(benchmark: Benchmark) -> None:
    assert not isinstance(benchmark(lambda: parse(source())), Problem)


def test_lower(benchmark: Benchmark) -> None:
    tree = parse(source())
    assert not isinstance(tree, Problem)
    benchmark(lower, str(LONGEST), tree)


def test_explore(benchmark: Benchmark) -> None:
    made = program()
    benchmark(lambda: explore(made, TorchLibrary()))


def test_check(benchmark: Benchmark) -> None:
    run = explore(program(), TorchLibrary())
    checks = [engine().check_of(rule) for rule in engine().catalog.rules]

    def check() -> None:
        for one in checks:
            if not isinstance(one, str):
                list(one(replace(run)))

    benchmark(check)


def test_a_clean_file(benchmark: Benchmark) -> None:
    benchmark(lambda: Worker(engine()).lint_bytes(str(LONGEST), DATA, settings()))


def test_a_file_with_findings(benchmark: Benchmark) -> None:
    data = FAULTY.read_bytes()
    benchmark(lambda: Worker(engine()).lint_bytes(str(FAULTY), data, settings()))


@pytest.mark.parametrize(
    "arguments", [["--help"], ["check", "--no-cache", str(LONGEST)]], ids=["help", "check"]
)
def test_a_whole_process(benchmark: Benchmark, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "lintgrad", *arguments]
    benchmark(lambda: subprocess.run(command, capture_output=True, check=True))
