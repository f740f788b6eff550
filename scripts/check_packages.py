"""Check what the built packages hold: `check_packages.py SDIST WHEEL`, run in the checkout.

The source distribution must hold every file of the checkout, but for what no builder and no reader of
it needs; the wheel must hold the package and the rules' documents, and nothing else.
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

# Made by tools or by running the project.
_LEFT_BY_TOOLS = {".git", ".venv", "build", "dist", "__pycache__", ".hypothesis"}


def checkout_files(root: Path) -> Iterator[str]:
    """The files below `root` that somebody wrote, relative to it."""
    for path in sorted(root.iterdir()):
        if path.name in _LEFT_BY_TOOLS or path.name.endswith(("_cache", ".egg-info")):
            continue
        if path.is_dir():
            yield from (f"{path.name}/{inner}" for inner in checkout_files(path))
        else:
            yield path.name


def sdist_files(path: Path) -> set[str]:
    """The files of a source distribution, relative to its one folder."""
    with tarfile.open(path) as archive:
        names = [PurePosixPath(member.name) for member in archive.getmembers() if member.isfile()]
    return {str(PurePosixPath(*name.parts[1:])) for name in names}


def wheel_files(path: Path) -> set[str]:
    """The files of a wheel without its metadata."""
    with zipfile.ZipFile(path) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def problems(root: Path, sdist: Path, wheel: Path) -> Iterator[str]:
    """What is missing or too much, one sentence each."""
    written = set(checkout_files(root))
    for name in sorted(written - sdist_files(sdist)):
        yield f"the source distribution lacks {name}"
    package = {name for name in written if name.startswith("lintgrad/")}
    documents = {f"lintgrad/{name}" for name in written if name.startswith("rules/")}
    packed = wheel_files(wheel)
    for name in sorted((package | documents) - packed):
        yield f"the wheel lacks {name}"
    for name in sorted(packed - package - documents):
        yield f"the wheel should not have {name}"


def main(arguments: list[str]) -> int:
    """Print each problem; 1 when there is one."""
    sdist, wheel = map(Path, arguments)
    found = list(problems(Path.cwd(), sdist, wheel))
    for problem in found:
        print(problem)
    print(f"{len(sdist_files(sdist))} files in {sdist.name}, {len(wheel_files(wheel))} in {wheel.name}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
