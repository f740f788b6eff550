"""How much lintgrad costs beside libcst's bare parse of the same files.

    python benchmarks/parse_ratio.py [--rounds N] PATH...

In one process, with all imports done, each round takes every file twice: `libcst.parse_module` parses it, and
then it goes through lintgrad as `lintgrad check` does with nothing cached: read, gate, parse, lower, explore,
check, resolve, and at the end render. Printed are the medians over the rounds, for all files and for those
alone that concern a rule and so are not gated out. The goal is a ratio of at most 2 for the latter.

Seconds are those of the processor, so that the ratio holds on a busy machine; the shares of the stages
are of the time that passed.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import libcst

from lintgrad import __version__
from lintgrad.cli.parts import Parts
from lintgrad.config import Settings
from lintgrad.engine import STAGES, Engine, FileResult
from lintgrad.project.worker import Worker
from lintgrad.reporters import Report, render


@dataclass(frozen=True, slots=True)
class Round:
    """Seconds of one round: the bare parse and lintgrad as a whole; the share of each stage in that."""

    bare: float
    whole: float
    shares: dict[str, float]

    @property
    def ratio(self) -> float:
        """How many times the bare parse lintgrad took."""
        return self.whole / self.bare


def python_files(paths: Iterable[Path]) -> list[Path]:
    """The files named, and all Python files in the folders named."""
    return sorted({file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])})


def parseable(files: Iterable[Path]) -> dict[Path, bytes]:
    """The contents of those files that libcst can parse: without a tree there is nothing to compare."""
    contents = {}
    for file in files:
        data = file.read_bytes()
        try:
            libcst.parse_module(data)
        except (libcst.ParserSyntaxError, UnicodeDecodeError):
            print(f"left out, no tree: {file}", file=sys.stderr)
        else:
            contents[file] = data
    return contents


def one_round(engine: Engine, settings: Settings, contents: dict[Path, bytes]) -> Round:
    """Parse each file by itself, then lint it: what else the machine does meanwhile hits both alike."""
    worker = Worker(engine)  # it remembers the files that it has parsed: a new one has nothing cached
    bare = whole = passed = 0.0
    results = []
    for file, data in contents.items():
        begin = time.process_time()
        libcst.parse_module(data)
        parsed, clock = time.process_time(), time.perf_counter()
        results.append(worker.lint_bytes(str(file), file.read_bytes(), settings))
        bare += parsed - begin
        whole += time.process_time() - parsed
        passed += time.perf_counter() - clock
    begin = time.process_time()
    render_results(results)
    whole += time.process_time() - begin
    stages = {stage: sum(r.stats.seconds.get(stage, 0.0) for r in results) for stage in STAGES}
    return Round(bare, whole, {stage: seconds / passed for stage, seconds in stages.items()})


def render_results(results: Sequence[FileResult]) -> str:
    """What a user would see of `results`."""
    found = sorted((d for result in results for d in result.diagnostics), key=lambda d: d.sort_key)
    texts = {path: text for result in results for path, text in result.texts.items()}
    report = Report(tuple(found), Path.cwd(), __version__, texts=texts, files_checked=len(results))
    return render("text", report)


def measure(engine: Engine, settings: Settings, contents: dict[Path, bytes], rounds: int) -> list[Round]:
    """The rounds, after one that warms up."""
    measured = []
    for _ in range(rounds + 1):
        gc.collect()
        measured.append(one_round(engine, settings, contents))
    return measured[1:]


def show(title: str, contents: dict[Path, bytes], rounds: Sequence[Round]) -> None:
    """Print the medians."""
    lines = sum(data.count(b"\n") for data in contents.values())
    print(f"{title}: {len(contents)} files, {lines} lines")
    print(f"  bare parse {statistics.median(r.bare for r in rounds):8.3f} s")
    print(f"  lintgrad   {statistics.median(r.whole for r in rounds):8.3f} s")
    for stage in rounds[0].shares:
        print(f"    {stage:<8} {statistics.median(r.shares[stage] for r in rounds):8.1%}")
    ratios = sorted(r.ratio for r in rounds)
    print(f"  ratio {statistics.median(ratios):.2f} (from {ratios[0]:.2f} to {ratios[-1]:.2f})")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Compare lintgrad with libcst's bare parse.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    parts = Parts()
    catalog = parts.load_catalog()
    engine = parts.make_engine(catalog)
    engine.stages.prepare()
    settings = Settings(frozenset(rule.code for rule in catalog.rules if not rule.preview))
    contents = parseable(python_files(arguments.paths))
    if not contents:
        parser.error("no Python file that can be parsed")
    show("all", contents, measure(engine, settings, contents, arguments.rounds))
    concerned = {file: data for file, data in contents.items() if engine.concerns(str(file), data, settings)}
    if concerned and len(concerned) < len(contents):
        show("not gated out", concerned, measure(engine, settings, concerned, arguments.rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
