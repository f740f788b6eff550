"""Where the machine and torch disagree on a program.

The machine runs a long loop twice where torch runs it three or four times. So what torch shows in first
and second turns alone must be said, and what is said must be shown in some turn. Where a condition has split
the machine's run into several paths, torch goes one of them: what is said of the others is not judged by it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.differential.machine_seen import Machine, Said, machine
from tests.differential.torch_seen import Error, Server, Torch

EARLY = 2
LONG = 4


@dataclass(frozen=True, order=True)
class Disagreement:
    """One: what it is about, and the line."""

    what: str
    line: int


def compare(torch: Torch, said: Machine) -> list[Disagreement]:
    """All disagreements; none where the machine's budget ran out."""
    if said.exhausted or _foreseen(torch, said):
        return []
    if torch.error is not None and not torch.error.early:
        return []  # the machine runs no such turn, and has gone on
    found = _errors(torch, said)
    if not found:
        found += [*_carried(torch, said), *_steps(torch, said), *_empty(torch, said)]
        if torch.error is None:
            found += [*_doubled(torch, said), *_retained(torch, said), *_growth(torch, said)]
    return sorted(found)


def disagreements(program: str, server: Server) -> list[Disagreement]:
    """`compare` for a program's text. Raises `NotJudgedError` where torch has nothing to say."""
    return compare(server.run(program), machine(program))


def _fitting(error: Error, said: Machine) -> list[Said]:
    return [one for one in said.said if one.kind == error.kind and error.line == one.end]


def _foreseen(torch: Torch, said: Machine) -> bool:
    """Whether torch raises what the machine takes for possible alone: it has then gone on behind it."""
    fitting = _fitting(torch.error, said) if torch.error is not None else []
    return bool(fitting) and all(one.possible for one in fitting)


def _errors(torch: Torch, said: Machine) -> list[Disagreement]:
    raising = [one for one in said.said if one.raises and not one.possible]
    error = torch.error
    if error is None:
        return [Disagreement(f"{one.code} and torch does not raise", one.line) for one in raising]
    fitting = _fitting(error, said)
    if not fitting:
        return _missed(torch, error, said)
    others = [one for one in raising if one not in fitting]
    if said.paths > 1:
        return []
    return [Disagreement(f"{one.code} where torch raises {error.kind}", one.line) for one in others]


def _missed(torch: Torch, error: Error, said: Machine) -> list[Disagreement]:
    raising = sorted((one.code, one.line) for one in said.said if one.raises and not one.possible)
    passed = [line for line, _, _ in torch.walks].count(error.line) > 1
    if error.kind == "graphless" and passed and not raising:
        return []  # LG201 reports what never has a graph, since a loop may well go on without one
    instead = "".join(f", said: {code}" for code, _ in raising)
    return [Disagreement(f"torch raises {error.kind}{instead}", error.line)]


def _carried(torch: Torch, said: Machine) -> list[Disagreement]:
    """A backward that goes into an earlier turn's graph; where that hangs on an older one, LG101 fits too."""
    claimed = said.lines("LG105")
    if torch.error is not None and said.paths > 1:
        return []
    if torch.error is not None and torch.error.kind == "version":
        claimed -= {torch.error.line}  # it would go into that graph, and comes to the changed tensor first
    return [Disagreement("LG105 and nothing is carried", line) for line in claimed - torch.carried]


def _steps(torch: Torch, said: Machine) -> list[Disagreement]:
    """Steps on gradients that were applied before."""
    claimed = said.lines("LG301")
    all_stale = {line for line, what, _ in torch.steps if what == "stale"}
    must = {line for line, what, early in torch.steps if what == "stale" and early}
    found = [Disagreement("stale step, not said", line) for line in must - claimed]
    if torch.error is None or said.paths == 1:
        found += [Disagreement("LG301 and no step is stale", line) for line in claimed - all_stale]
    return found


def _empty(torch: Torch, said: Machine) -> list[Disagreement]:
    """Steps that never find a gradient."""
    ran = {line for line, _, _ in torch.steps}
    filled = {line for line, what, _ in torch.steps if what in {"good", "stale"}}
    late = {line for line, what, early in torch.steps if what in {"good", "stale"} and not early}
    early = filled - late
    lost = {line for line, what, _ in torch.steps if what == "lost"}
    claimed = said.lines("LG302", "LG307")
    found = [Disagreement("lost at each step, not said", line) for line in (lost - filled) - claimed]
    if said.paths > 1:
        return found
    wrong = (claimed & early) | ((claimed & ran) & late)
    return found + [Disagreement("LG302/LG307 and a step finds gradients", line) for line in wrong]


def _doubled(torch: Torch, said: Machine) -> list[Disagreement]:
    """Silent second backwards."""
    claimed = said.lines("LG102")
    found = [Disagreement("LG102 and nothing is doubled", line) for line in claimed - torch.doubled]
    if torch.turns <= EARLY:
        found += [Disagreement("doubled, not said", line) for line in torch.doubled - claimed]
    return found


def _retained(torch: Torch, said: Machine) -> list[Disagreement]:
    """Graphs that were kept for nothing."""
    needed = {line for line, _, is_needed in torch.walks if is_needed}
    wrong = said.lines("LG103", "LG104") & needed
    return [Disagreement("LG103/LG104 and the graph is needed", line) for line in wrong]


def _growth(torch: Torch, said: Machine) -> list[Disagreement]:
    """Graphs of all turns kept alive."""
    if torch.least_turns < LONG or torch.growth:
        return []
    return [Disagreement("LG106 and nothing grows", line) for line in said.lines("LG106")]
