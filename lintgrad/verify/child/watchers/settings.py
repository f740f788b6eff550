"""Statements that look as if they set `requires_grad`: writes to other attributes, dropped comparisons."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch

from lintgrad.verify.child.frames import Program
from lintgrad.verify.child.watchers.watcher import Watcher


class Settings(Watcher):
    """Sees `set-nothing`: `name` is the attribute, `owner` the class that knows none or was compared."""

    def install(self) -> None:
        """See each attribute that the program sets on a tensor or a module."""
        for kind in (torch.Tensor, torch.nn.Module):
            setattr(kind, "__setattr__", self._setting(kind.__setattr__))  # noqa: B010

    def compared(self, value: Any, name: str) -> None:
        """A comparison's result is dropped; attribute `name` of `value` stands on its left."""
        if isinstance(value, (torch.Tensor, torch.nn.Module)):
            self.saw("set-nothing", name=name, owner=type(value).__name__, how="compared")

    def _setting(self, write: Callable[..., None]) -> Callable[..., None]:
        def watched(target: Any, name: str, value: Any) -> None:
            # An attribute that the class knows of means something, one that it does not know is dropped.
            if "grad" in name and isinstance(value, bool) and not hasattr(type(target), name):
                if sys._getframe(1).f_code.co_filename == Program.file:  # noqa: SLF001 - see frames
                    self.saw("set-nothing", name=name, owner=type(target).__name__, how="written")
            write(target, name, value)

        return watched
