"""`python -m lintgrad.verify.child [--jobs N]`, or this file run by an interpreter that has torch.

Run as a file, it finds the rest of the package by its own place, without adding to `sys.path`: the
interpreter's own libraries are to be found there, and no others.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path


def _find_package() -> None:
    package = types.ModuleType("lintgrad")
    package.__path__ = [str(Path(__file__).resolve().parents[2])]
    sys.modules["lintgrad"] = package
    folder = str(Path(__file__).resolve().parent)
    sys.path[:] = [entry for entry in sys.path if entry != folder]


def main(arguments: list[str]) -> int:
    """Serve; the exit status."""
    from lintgrad.verify.child.server import serve

    jobs = int(arguments[arguments.index("--jobs") + 1]) if "--jobs" in arguments else 1
    return serve(jobs)


if __name__ == "__main__":
    if not __package__:
        _find_package()
    sys.exit(main(sys.argv[1:]))
