"""What a tensor's values are, where the operation that made them tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lintgrad.diagnostics import Site

Kind = Literal["probabilities", "log-probabilities", "sigmoids", "log-sigmoids", "scores"]


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """What is known of a tensor's values: their `kind`, made by operation `op` at `site`.

    `site` is where the layer was built, for an operation that a layer does.
    """

    kind: Kind
    op: str
    site: Site
