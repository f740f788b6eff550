"""What the child process gets of the parent's surroundings: hardly anything."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

CHILD = Path(__file__).parent / "child" / "__main__.py"

_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "WINDIR")
"""Variables that are handed on: where libraries lie, and how text is encoded."""

_SET = {
    "CUDA_VISIBLE_DEVICES": "",  # what is verified runs on the processor
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
}


def scrubbed(folder: str, *, isolated: bool = True, given: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The child's environment variables; `folder` is for its temporary files, and its home.

    Not isolated, its home is the user's until a run begins.
    """
    kept = {name: given[name] for name in _KEPT if name in given}
    places = {"HOME": folder, "USERPROFILE": folder, "TMPDIR": folder, "TEMP": folder, "TMP": folder}
    homes = {} if isolated else {name: given[name] for name in ("HOME", "USERPROFILE") if name in given}
    return kept | _SET | places | homes


def command(python: str, jobs: int, *, isolated: bool = True) -> list[str]:
    """How the child is started; not isolated, it finds what is installed for the user alone, too."""
    flags = ["-I"] if isolated else ["-E"]
    return [python, *flags, str(CHILD), "--jobs", str(jobs)]


def default_python() -> str:
    """The interpreter that lintgrad itself runs in."""
    return sys.executable
