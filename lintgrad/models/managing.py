"""Which of the program's classes a framework's loop runs, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.models import hf_trainer, lightning, lightning_loop
from lintgrad.program import nodes
from lintgrad.program.text import text

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.machine.values import Instance


class Managing:
    """The library's answers about loops that the program does not write out."""

    def is_entry(self, cls: nodes.ClassDef, method: str) -> bool:
        """Whether a framework's loop may call this method of `cls`: told from names alone."""
        if method == "training_step":
            return True
        bases = [text(base.value) for base in cls.bases]
        return method in hf_trainer.ENTRIES and any(base.endswith("Trainer") for base in bases)

    def drive(self, m: Machine, instance: Instance, method: nodes.FunctionDef) -> bool:
        """Run `instance` in the loop of its framework that calls `method`; False where there is none."""
        if method.name == "training_step" and lightning.is_managed(instance):
            lightning_loop.drive(m, instance, None, method)
            return True
        if method.name in hf_trainer.ENTRIES and hf_trainer.is_trainer(instance):
            hf_trainer.drive(m, instance, method)
            return True
        return False
