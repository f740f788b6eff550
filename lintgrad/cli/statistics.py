"""`--statistics`: what was found, what was looked at, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from lintgrad.engine import STAGES, FileResult


def statistics(results: Sequence[FileResult], seconds: Mapping[str, float]) -> str:
    """Findings by rule, then files, then seconds.

    `seconds` are those of the run as a whole; those of a stage are added up over all processes.
    """
    lines = [*_by_rule(results)]
    gated = sum(result.stats.gated for result in results)
    exhausted = sum(result.stats.exhausted for result in results)
    lines.append(f"files: {len(results)}")
    lines.append(f"not parsed, since no rule is concerned: {gated}")
    lines.append(f"budgets that ran out: {exhausted}")
    lines.append(f"suppressed: {sum(result.suppressed for result in results)}")
    total = Counter[str]()
    for result in results:
        total.update(result.stats.seconds)
    times = [f"{name} {spent:.2f}" for name, spent in seconds.items()]
    times += [f"{stage} {total[stage]:.2f}" for stage in STAGES]
    lines.append(f"seconds: {', '.join(times)}")
    return "\n".join(lines)


def _by_rule(results: Sequence[FileResult]) -> list[str]:
    """The rules that have findings, the one with the most first."""
    counts = Counter((d.code, d.name) for result in results for d in result.diagnostics)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [f"{count:>5}  {code}  {name}" for (code, name), count in ranked]
