"""Models of libraries: what the functions of torch and its like do to the machine."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lintgrad.models.library import TorchLibrary


@cache
def library() -> TorchLibrary:
    """The library of all models; it holds no state."""
    from lintgrad.models.library import TorchLibrary

    return TorchLibrary()
