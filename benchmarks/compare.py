"""lintgrad beside other tools and libcst's bare parse, on the same files.

    python benchmarks/compare.py [--rounds N] [--environments FOLDER] PATH...

Each tool runs in an environment of its own, which is made on the first run (pip installs the tools named
below) and kept in `--environments`. Each round runs all of them in turn, so that a machine's mood hits all.
Printed is a table of medians: seconds of the processor for a whole process, with its start, and how many
times the bare parse that is. The bare parse is a process, too: it starts, imports libcst, and parses
every file. So that files, and not starts, are compared, PATH should hold some thousand lines.

lintgrad runs with all of its rules but previews, one process, nothing cached, from the environment that
runs this script.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import venv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

PARSE = """
import sys, libcst
for path in sys.stdin.read().splitlines():
    with open(path, "rb") as file:
        data = file.read()
    try:
        libcst.parse_module(data)
    except (libcst.ParserSyntaxError, UnicodeDecodeError):
        pass
"""
READ = """
import sys
for path in sys.stdin.read().splitlines():
    with open(path, "rb") as file:
        file.read()
"""


@dataclass(frozen=True, slots=True)
class Tool:
    """A command to measure: its name in the table, what pip installs for it, what stands before the paths."""

    name: str
    requirement: str | None
    arguments: tuple[str, ...]
    reads_list: bool = False

    def command(self, environments: Path, paths: Sequence[str]) -> list[str]:
        """What to run on `paths`; those that read a list get it by their standard input."""
        given = [] if self.reads_list else list(paths)
        if self.requirement is None:
            return [sys.executable, *self.arguments, *given]
        program, *rest = self.arguments
        return [str(environments / self.name / "bin" / program), *rest, *given]


TOOLS = (
    Tool("start of Python, reading", None, ("-c", READ), reads_list=True),
    Tool("bare libcst.parse_module", None, ("-c", PARSE), reads_list=True),
    Tool("lintgrad", None, ("-m", "lintgrad", "check", "--no-cache", "--jobs", "1")),
    Tool("torch-preflight", "torch-preflight==0.5.0", ("torch-preflight", "check")),
    Tool("torchfix", "torchfix==0.7.0", ("torchfix", "--select", "ALL")),
    Tool("ruff", "ruff", ("ruff", "check", "--no-cache", "--isolated", "--select", "ALL")),
)
BASE = "bare libcst.parse_module"


def python_files(paths: Iterable[Path]) -> list[str]:
    """The files named, and all Python files in the folders named."""
    found = {file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])}
    return sorted(map(str, found))


def install(tool: Tool, environments: Path) -> None:
    """Make the environment of a tool, unless it is there."""
    folder = environments / tool.name
    if tool.requirement is None or folder.exists():
        return
    print(f"installing {tool.requirement}", file=sys.stderr)
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "--quiet", "install", tool.requirement], check=True)


def seconds(tool: Tool, environments: Path, paths: Sequence[str], files: Sequence[str]) -> float:
    """The processor time of one run, of its child processes too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        tool.command(environments, paths),
        input="\n".join(files) if tool.reads_list else "",
        text=True,
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONWARNINGS": "ignore"},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):  # 1: there are findings
        print(f"{tool.name} ended with {done.returncode}: {done.stderr[-500:]}", file=sys.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(taken: dict[str, list[float]], files: Sequence[str]) -> None:
    """Print the table."""
    lines = sum(Path(file).read_bytes().count(b"\n") for file in files)
    print(
        f"{len(files):,} files, {lines:,} lines; Python {platform.python_version()}, {os.cpu_count()} cores\n"
    )
    base = statistics.median(taken[BASE])
    print("| | seconds | times the bare parse |\n|---|---:|---:|")
    for name, measured in taken.items():
        median = statistics.median(measured)
        print(f"| {name} | {median:.2f} | {median / base:.2f} |")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Compare lintgrad with other tools on the same files.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--environments", type=Path, default=Path(".benchmark-environments"))
    parser.add_argument("--without", action="append", default=[], metavar="TOOL", help="leave a tool out")
    arguments = parser.parse_args()
    files = python_files(arguments.paths)
    if not files:
        parser.error("no Python files")
    tools = [tool for tool in TOOLS if tool.name not in arguments.without]
    environments = arguments.environments.absolute()
    for tool in tools:
        install(tool, environments)
    taken: dict[str, list[float]] = {tool.name: [] for tool in tools}
    paths = [str(path) for path in arguments.paths]
    for _ in range(arguments.rounds):
        for tool in tools:
            taken[tool.name].append(seconds(tool, environments, paths, files))
    show(taken, files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
