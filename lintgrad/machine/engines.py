"""Objects of frameworks that run parts of the training protocol for what was handed to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lintgrad.machine.values import Value

if TYPE_CHECKING:
    from lintgrad.diagnostics import Site
    from lintgrad.machine.values import OptimizerV


@dataclass(slots=True, eq=False)
class EngineV(Value):
    """An object of a framework that runs parts of the training protocol, of `kind` (`accelerate`, ...).

    `wraps` is the module that it stands for, where it stands for one, `optimizer` the one that it steps.
    """

    kind: str
    name: str = ""
    site: Site | None = None
    wraps: Value | None = None
    optimizer: OptimizerV | None = None
    options: dict[str, Value] = field(default_factory=dict)
    members: dict[str, Value] = field(default_factory=dict)
    callbacks: list[Value] = field(default_factory=list)
