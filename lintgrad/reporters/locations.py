"""Where a file is, for programs that know it by its place under the root."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote_from_bytes

from lintgrad.reporters.report import Report


def under_root(path: str, report: Report) -> Path | None:
    """The file's path relative to the report's root; None when it lies elsewhere.

    Symbolic links are resolved: the other side looks for the file as the repository has it.
    """
    try:
        return _real(path, report).relative_to(os.path.realpath(report.root))
    except ValueError:
        return None


def relative_uri(path: str, report: Report) -> str | None:
    """`under_root` as a percent-encoded URI reference; None when the file lies elsewhere."""
    relative = under_root(path, report)
    # fsencode gives back the bytes of a file name that is no UTF-8.
    return None if relative is None else quote_from_bytes(os.fsencode(relative.as_posix()), safe="/")


def absolute_uri(path: str, report: Report) -> str:
    """The file's `file:` URI."""
    return _real(path, report).as_uri()


def root_uri(report: Report) -> str:
    """The root's `file:` URI, which ends with a slash as a base must."""
    return f"{report.root.as_uri().rstrip('/')}/"


def shown_under_root(path: str, report: Report) -> str:
    """The path below the root with forward slashes; as the user gave it when it lies elsewhere."""
    relative = under_root(path, report)
    return path if relative is None else relative.as_posix()


def _real(path: str, report: Report) -> Path:
    return Path(os.path.realpath((report.cwd or report.root) / path))
