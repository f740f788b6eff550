"""Limits on what a run may use up, which hold for native code as well."""

from __future__ import annotations

import math
import sys
from pathlib import Path

OPEN_FILES = 256


def lower(seconds: float, memory: int, file_bytes: int) -> str:
    """Lower this process's limits for good; empty where the system has none (Windows).

    `seconds` are of the processor; `memory` is allowed on top of what is mapped now; `file_bytes` bounds
    each file.
    """
    try:
        import resource
    except ImportError:
        return ""
    wanted = {
        resource.RLIMIT_CPU: math.ceil(seconds) + 1,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    mapped = _mapped_bytes()
    if mapped:
        wanted[resource.RLIMIT_AS] = mapped + memory
    if sys.platform != "linux":
        wanted[resource.RLIMIT_NPROC] = 0  # no new process; on Linux that would mean no new thread either
    for limit, value in wanted.items():
        _set(limit, value)
    return "limits"


def _set(limit: int, value: int) -> None:
    """Lower one limit; a harder one that holds already stays."""
    import resource

    _, hard = resource.getrlimit(limit)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(limit, (value, value))


def _mapped_bytes() -> int:
    """How much memory this process has mapped; 0 where the system does not say."""
    import resource

    try:
        with Path("/proc/self/statm").open(encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
