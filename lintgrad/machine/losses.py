"""Observations of criteria: what they were given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lintgrad.machine.observations import Event

if TYPE_CHECKING:
    from lintgrad.machine.values import Tensor


@dataclass(slots=True, eq=False, kw_only=True)
class LossCall(Event):
    """Criterion `loss` (its function) was called on `input` and `target`; None: that is no tensor."""

    loss: str = ""
    input: Tensor | None = None
    target: Tensor | None = None
