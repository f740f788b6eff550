"""Instruments for one kind of fault each: they are told what happens and keep what their oracles ask for.

What every oracle may need (nodes, gradients, steps) is watched by `Instruments` itself.
"""

from __future__ import annotations

from lintgrad.verify.child.gradients import Gradients
from lintgrad.verify.child.loops import Loops
from lintgrad.verify.child.watchers.building import Building
from lintgrad.verify.child.watchers.clipping import Clipping
from lintgrad.verify.child.watchers.graphs import Graphs
from lintgrad.verify.child.watchers.holding import Holding
from lintgrad.verify.child.watchers.leaves import Leaves
from lintgrad.verify.child.watchers.modes import Modes
from lintgrad.verify.child.watchers.scaling import Scaling
from lintgrad.verify.child.watchers.scheduling import Scheduling
from lintgrad.verify.child.watchers.settings import Settings
from lintgrad.verify.child.watchers.slopes import Slopes
from lintgrad.verify.child.watchers.updates import Updates
from lintgrad.verify.child.watchers.upstream import Upstream
from lintgrad.verify.child.watchers.watcher import Watcher


def watchers(loops: Loops, gradients: Gradients) -> list[Watcher]:
    """One of each, for one run."""
    return [
        Building(loops),
        Clipping(loops, gradients=gradients),
        Graphs(loops),
        Holding(loops, gradients=gradients),
        Leaves(loops),
        Modes(loops),
        Scaling(loops),
        Scheduling(loops),
        Settings(loops),
        Slopes(loops),
        Updates(loops),
        Upstream(loops),
    ]
