"""Lines that make tensors with a graph."""

from __future__ import annotations

from dataclasses import dataclass, field

from lintgrad.verify.child.frames import user_lines
from lintgrad.verify.child.record import Sight
from lintgrad.verify.child.tensors import root
from lintgrad.verify.child.watchers.watcher import Call, Watcher


@dataclass
class Graphs(Watcher):
    """Sees `graph` for each line whose own calls gave tensors with a graph: how `often`."""

    by_line: dict[int, int] = field(default_factory=dict)

    def called(self, call: Call) -> None:
        """Count the line that runs."""
        if any(root(tensor) is not None for tensor in call.results):
            for line in user_lines()[:1]:
                self.by_line[line] = self.by_line.get(line, 0) + 1

    def sights(self) -> list[Sight]:
        """One for each line."""
        return [Sight((line,), "graph", {"often": often}) for line, often in self.by_line.items()]
