"""Statements that look as if they set `requires_grad`: writes to other attributes, comparisons."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from tests.rules.truth.loops import FILE, user_line


@dataclass
class Typos:
    """The lines of a running example that may be such statements."""

    lines: set[int] = field(default_factory=set)

    def watch(self) -> None:
        """See each attribute that the program sets on a tensor or a module."""
        for kind in (torch.Tensor, nn.Module):
            setattr(kind, "__setattr__", self._setting(kind.__setattr__))  # noqa: B010

    def compared(self, _: int, value: Any) -> Any:
        """A comparison's result is dropped; an attribute of `value` stands on its left."""
        if isinstance(value, (torch.Tensor, nn.Module)):
            self.lines.add(user_line())
        return value

    def _setting(self, write: Callable[..., None]) -> Callable[..., None]:
        def watched(target: Any, name: str, value: Any) -> None:
            # An attribute that the class knows of means something, one that it does not know is dropped.
            if "grad" in name and isinstance(value, bool) and not hasattr(type(target), name):
                by_user = sys._getframe(1).f_code.co_filename == FILE
                self.lines |= {user_line()} if by_user else set()
            write(target, name, value)

        return watched
