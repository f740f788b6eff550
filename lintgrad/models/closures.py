"""Optimizers that evaluate a closure several times in one step, as LBFGS does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import protocol
from lintgrad.machine.closures import ClosureStep
from lintgrad.machine.values import Arguments, BoundV, FunctionV, Instance, Lit, OptimizerV, Value

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes

_LIMIT = "max_iter()"
"""Where an optimizer's number of turns is kept: a name that no attribute can have."""


def keep_limits(optimizer: OptimizerV, args: Arguments) -> None:
    """Keep what the optimizer was told of how often it may evaluate its closure."""
    search = args.get(6, "line_search_fn")
    limit = args.get(2, "max_iter")
    if limit is not None and (search is None or is_none(search)):
        optimizer.members[_LIMIT] = limit


def note(
    m: Machine, optimizer: OptimizerV, args: Arguments, started: list[int], result: Value, node: nodes.Node
) -> None:
    """Note a step whose closure was evaluated at the moments `started` after the first, and gave `result`."""
    closure = args.get(0, "closure")
    run = isinstance(closure, (FunctionV, BoundV, Instance))
    absent = closure is None or is_none(closure)
    begun, last = started[0], started[-1]
    made = [gradient for leaf in optimizer.leaves for gradient in leaf.gradients]
    unseen = max([m.touched_all, m.foreign_graph, *(leaf.touched for leaf in optimizer.leaves)])
    limit = optimizer.members.get(_LIMIT)
    m.record(
        ClosureStep(
            **m.here(node),
            name=protocol.written(node),
            optimizer=optimizer,
            given=None if args.extra else False if absent else True if run else None,
            seen=run and unseen < begun,
            returned="nothing" if is_none(result) else "something",
            filled=any(gradient.backward.seq > begun for gradient in made),
            piled=[gradient for gradient in made if begun < gradient.backward.seq < last],
            once=isinstance(limit, Lit) and limit.value == 1,
            confidence=optimizer.confidence,
        )
    )


def is_none(value: Value) -> bool:
    """Whether a value is None itself."""
    return isinstance(value, Lit) and value.value is None
