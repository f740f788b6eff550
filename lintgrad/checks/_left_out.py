"""Parameters that get gradients and are in no optimizer: the ground of LG309 and LG310."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lintgrad.diagnostics import Site
from lintgrad.machine import Run, Trace
from lintgrad.machine.graph import Leaf
from lintgrad.machine.observations import Backward, InPlace, Step
from lintgrad.machine.values import OptimizerV


@dataclass(frozen=True, slots=True)
class LeftOut:
    """`leaves` of `backward` that no optimizer holds, and the `step` after it, of `optimizer`."""

    trace: Trace
    backward: Backward
    step: Step
    optimizer: OptimizerV
    leaves: list[Leaf]

    @property
    def late(self) -> list[Leaf]:
        """Those that were made after the optimizer."""
        return [leaf for leaf in self.leaves if leaf.born > self.optimizer.born]

    def trained(self) -> set[int]:
        """The parameters of modules that the same backward gives to the optimizer that steps next.

        A parameter that belongs to no module is an input that is optimized, as an image or a plan.
        """
        mine = {id(leaf) for leaf in self.optimizer.leaves if leaf.is_parameter and leaf.name}
        return {id(g.leaf) for g in self.backward.gradients if g.leaf is not None} & mine


def left_out(run: Run) -> Iterator[LeftOut]:
    """Each backward that fills leaves of no optimizer, with the first step after it.

    Nothing is said of a path on which an optimizer's parameters are not all seen, or that was cut short, nor
    of leaves that another path gives to an optimizer.
    """
    if any(trace.exhausted for trace in run.traces):
        return
    held = [_held(trace) for trace in run.traces]
    for trace, mine in zip(run.traces, held, strict=True):
        if trace.wild:
            continue
        written = {id(leaf) for leaf in _written(trace)}
        for backward in trace.of(Backward):
            step = next((s for s in trace.of(Step) if s.seq > backward.seq), None)
            if step is None or not isinstance(step.optimizer, OptimizerV) or not step.complete:
                continue
            leaves = [leaf for leaf in _filled(backward) if id(leaf) not in written]
            leaves = [
                leaf for leaf in leaves if not any(other[_key(leaf)] > mine[_key(leaf)] for other in held)
            ]
            if leaves:
                yield LeftOut(trace, backward, step, step.optimizer, leaves)


def _filled(backward: Backward) -> list[Leaf]:
    """The parameters that got a gradient which nothing but an optimizer could have used."""
    return [
        gradient.leaf
        for gradient in backward.gradients
        if gradient.leaf is not None
        and gradient.applied is None
        and not gradient.read
        and _alone(gradient.leaf)
    ]


def _alone(leaf: Leaf) -> bool:
    """Whether a leaf is a parameter that no optimizer and no unseen code ever had."""
    return (
        leaf.is_parameter
        and not leaf.opaque
        and leaf.owner is None
        and leaf.touched < 0
        and leaf.managed is None
        and not leaf.loose
    )


def _written(trace: Trace) -> Iterator[Leaf]:
    """Leaves that the program writes itself after their gradient: it trains or averages them by hand."""
    seen: set[int] = set()
    for backward in trace.of(Backward):
        for leaf in backward.leaves:
            writes = [w.seq for w in leaf.storage.writers if isinstance(w, InPlace)]
            if id(leaf) not in seen and max([leaf.storage.silent, *writes]) > backward.seq:
                yield leaf
            seen.add(id(leaf))


def _key(leaf: Leaf) -> tuple[Site | None, str]:
    return leaf.site, leaf.name


def _held(trace: Trace) -> Counter[tuple[Site | None, str]]:
    """How many leaves of each kind the path's optimizers hold."""
    optimizers = {id(step.optimizer): step.optimizer for step in trace.of(Step)}
    leaves = {
        id(leaf): leaf for one in optimizers.values() if isinstance(one, OptimizerV) for leaf in one.leaves
    }
    return Counter(_key(leaf) for leaf in leaves.values())


def names_of(leaves: list[Leaf]) -> str:
    """A few of the leaves' names, as code."""
    names = list(dict.fromkeys(leaf.name for leaf in leaves if leaf.name))
    shown = ", ".join(f"`{name}`" for name in names[:3])
    return shown + (", ..." if len(names) > 3 else "")
