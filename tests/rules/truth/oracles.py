"""From what runs showed to the lines that have a fault.

An oracle looks at what a program does, never at how it is written: each is a function from the
program, the facts of its run and a way to run a variant to the faulty lines. The finer of two
oracles that see the same thing wins in `observe`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.rules.truth.variants import (
    retaining_lines,
    with_created_graph,
    without_retention,
    without_statements,
)

Facts = dict[str, Any]
Lines = list[int]


PLAIN = (
    "doubled-gradient",
    "carried-graph",
    "stale-gradient",
    "cleared-gradient",
    "empty-step",
    "rewrapped",
    "unkept-gradient",
    "rebound-leaf",
    "defeated",
    "forgotten-state",
    "early-schedule",
    "useless-clip",
    "own-gradient",
    "created-unneeded",
)
"""The oracles that one run answers."""


class DisagreementError(Exception):
    """A run and its counterfactual say different things."""


class Observer:
    """One program under all oracles."""

    def __init__(self, program: str, run: Callable[..., Facts]) -> None:
        self.program = program
        self.run = run
        self.facts = run(program)

    def observe(self, claims: dict[str, Lines]) -> dict[str, Lines]:
        """The faulty lines by the oracle that sees them.

        Two oracles see a fault that no single line shows, a growing graph or a tensor that was written
        to. They look at the lines that `claims` name for them, and find out whether those are to blame.
        """
        return {
            **{name: list(self.facts[name]) for name in PLAIN},
            "stepped-parameter": self.stepped(),
            "retained-in-loop": self.retained(in_loop=True),
            "retained-unneeded": self.retained(in_loop=False),
            "overwritten": self.overwritten(claims.get("overwritten", [])),
            "graph-growth": self.growth(claims.get("graph-growth", [])),
            "no-effect": self.without_effect("dropped"),
            "never-called": self.without_effect("uncalled"),
            "constant-gradient": self.constant(),
            "nothing-set": self.setting_nothing(),
        }

    def constant(self) -> Lines:
        """The calls of `autograd.grad` whose results are added to what a loss hangs on, and matter there.

        They matter if later gradients are others when the results have a graph.
        """
        lines: Lines = self.facts["added-slopes"]
        return [line for line in lines if self._changes_with_graph(line)]

    def _changes_with_graph(self, line: int) -> bool:
        facts = self.run(with_created_graph(self.program, line))
        return not all(
            len(one) == len(other) and all(map(_is_close, one, other))
            for one, other in zip(self.facts["gradients"], facts["gradients"], strict=False)
        )

    def setting_nothing(self) -> Lines:
        """Writes and comparisons without which the run is the same, but for the attribute itself."""
        lines: Lines = self.facts["typos"]
        return [line for line in lines if self._runs_alike(without_statements(self.program, [line]))]

    def _runs_alike(self, variant: str) -> bool:
        facts = self.run(variant)
        alike = facts["outcome"][:-1] == self.facts["outcome"][:-1]
        return bool(alike and facts["gradients"] == self.facts["gradients"])

    def stepped(self) -> Lines:
        """The backward that fails on a tensor written in place, if all is well without the steps."""
        if not _is_overwritten(self.facts):
            return []
        still = _is_overwritten(self.run(self.program, steps=False))
        return [] if still else [self.facts["error"][0]]

    def overwritten(self, writes: Lines) -> Lines:
        """Those of `writes` without which the backward goes through; where none is, the backward."""
        if not _is_overwritten(self.facts) or self.stepped():
            return []
        guilty = [line for line in writes if self._passes_without(line)]
        return guilty or [self.facts["error"][0]]

    def _passes_without(self, line: int) -> bool:
        """Whether a variant without the statement of a line comes as far and does not fail there."""
        facts = self.run(without_statements(self.program, [line]))
        return not _is_overwritten(facts) and len(facts["walks"]) >= len(self.facts["walks"])

    def retained(self, *, in_loop: bool) -> Lines:
        """Lines that keep a graph which no later backward runs, and do as well without."""
        walks = [walk for walk in self.facts["walks"] if walk[1] == in_loop]
        candidates = {line for line, _, _ in walks} & retaining_lines(self.program)
        needed = {line for line, _, is_needed in self.facts["walks"] if is_needed}
        unneeded = sorted(candidates - needed)
        for line in unneeded:
            if not self.same(without_retention(self.program, line)):
                raise DisagreementError(
                    f"nothing needs the graph kept in line {line}, yet freeing it matters"
                )
        return unneeded

    def growth(self, kept: Lines) -> Lines:
        """Those of `kept` without which fewer nodes pile up; with 0 where others pile some up too."""
        grows: int = self.facts["growth"]
        if not grows:
            return []
        guilty = [line for line in kept if self._growth_without([line]) < grows]
        return guilty if self._growth_without(guilty) == 0 else [0, *guilty]

    def without_effect(self, kind: str) -> Lines:
        """Statements that drop a tensor's result, or name a method, and change nothing."""
        lines: Lines = self.facts[kind]
        return [line for line in lines if self.same(without_statements(self.program, [line]))]

    def same(self, variant: str) -> bool:
        """Whether `variant` comes to the same: output, error, gradients, final values."""
        return bool(self.run(variant)["outcome"] == self.facts["outcome"])

    def _growth_without(self, lines: Lines) -> int:
        """The growth of a variant; that of the program where the variant does not get as far."""
        facts = self.run(without_statements(self.program, lines))
        same_way = facts["turns"] == self.facts["turns"]
        growth: int = (facts if same_way else self.facts)["growth"]
        return growth


def _is_close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-7) or (math.isnan(one) and math.isnan(other))


def _is_overwritten(facts: Facts) -> bool:
    """Whether the run ended at a backward that found a saved tensor written to."""
    return facts["error"] is not None and "modified by an inplace operation" in facts["error"][1]
