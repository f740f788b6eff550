"""`lintgrad dev`: commands for those who change lintgrad. They are in a checkout and not in the wheel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]

Place = tuple[str, str, str]
"""A finding as two versions can be asked for it: its file, its code, and the text of its line."""


@dataclass
class Findings:
    """What one version finds in one checkout, and in how many seconds; `trouble` is what it complained of."""

    lines: dict[Place, list[str]] = field(default_factory=dict[Place, list[str]])
    seconds: float = 0.0
    trouble: str = ""


@click.group(name="dev")
def command() -> None:
    """Commands for those who change lintgrad."""


@command.command()
@click.argument("old")
@click.argument("new")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--select", default="", metavar="CODES", help="Compare the findings of these rules alone.")
@click.option("--jobs", default=1, show_default=True, help="Processes that each version may use.")
def corpus(old: str, new: str, folder: Path, select: str, jobs: int) -> int:
    """Show which findings are added and gone between two versions, on a FOLDER of checkouts.

    A version is a revision of this repository, or a folder that holds a checkout of it; `.` is the one in
    which you work. Findings are the same while file, rule and the text of the line are.
    """
    options = ["--jobs", str(jobs), *(["--select", select] if select else [])]
    totals = Counter[str]()
    with checkout(old) as before, checkout(new) as after:
        for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
            was, now = findings(before, repository, options), findings(after, repository, options)
            report = [*changes(was, now)]
            totals.update({"old seconds": round(was.seconds), "new seconds": round(now.seconds)})
            totals.update(report_line[0] for report_line in report)
            for line in report:
                click.echo(line)
            for found, version in ((was, old), (now, new)):
                if found.trouble:
                    click.echo(f"! {repository.name} under {version}: {found.trouble}")
    click.echo(
        f"{totals['+']} added, {totals['-']} gone, {totals['!']} in trouble; "
        f"{totals['old seconds']} s before, {totals['new seconds']} s after"
    )
    return 0


@contextmanager
def checkout(version: str) -> Iterator[Path]:
    """The folder of a version: the one that is named, or a worktree of the revision, gone afterwards."""
    if Path(version, "lintgrad", "__init__.py").is_file():
        yield Path(version).resolve()
        return
    with tempfile.TemporaryDirectory() as folder:
        _git("worktree", "add", "--quiet", "--detach", folder, version)
        try:
            yield Path(folder)
        finally:
            _git("worktree", "remove", "--force", folder)


def findings(version: Path, repository: Path, options: Sequence[str]) -> Findings:
    """What the version in the folder `version` finds in `repository`."""
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "lintgrad", "check", "--isolated", "--format", "json", *options, "."],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(version), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - begin
    trouble = done.stderr.strip() if done.returncode not in {0, 1} else ""
    try:
        reported = json.loads(done.stdout)["diagnostics"]
    except ValueError:
        return Findings({}, seconds, trouble or "it printed no findings")
    lines: dict[Place, list[str]] = {}
    for one in reported:
        shown = (
            f"{repository.name}/{one['path']}:{one['line']}:{one['column']}: "
            f"{one['severity']}[{one['code']}] {one['message']} ({one['confidence']})"
        )
        lines.setdefault(_place(repository, one["path"], one["line"], one["code"]), []).append(shown)
    return Findings(lines, seconds, trouble)


def changes(was: Findings, now: Findings) -> Iterator[str]:
    """A line for each finding that is gone or added."""
    for sign, these, others in (("-", was.lines, now.lines), ("+", now.lines, was.lines)):
        for place, lines in these.items():
            for line in lines[len(others.get(place, [])) :]:
                yield f"{sign} {line}"


def _place(repository: Path, path: str, line: int, code: str) -> Place:
    text = (repository / path).read_text(encoding="utf-8", errors="replace").splitlines()
    return path, code, text[line - 1].strip() if line <= len(text) else ""


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=ROOT, check=True)  # noqa: S607  whichever git is in use


if __name__ == "__main__":
    command()
