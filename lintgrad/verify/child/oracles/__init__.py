"""Oracles: from what a run showed to what can be said of a finding.

An oracle looks at what a program does, never at how it is written. Each is a function from a `Case` to a
`Judgement` and touches torch only through the case's second runs. A document names its rule's oracle.
"""

from __future__ import annotations

from collections.abc import Callable

from lintgrad.verify.child.oracles import (
    again,
    around,
    creating,
    evaluating,
    keeping,
    leaves,
    raising,
    reaching,
    recording,
    scaling,
    statements,
    stepping,
    upstream,
    writing,
)
from lintgrad.verify.child.oracles.case import Case, Judgement, inconclusive

ORACLES: dict[str, Callable[[Case], Judgement]] = {
    "raises": raising.raises,
    "doubled-gradient": again.doubled,
    "carried-graph": again.carried,
    "retained-in-loop": keeping.retained_in_loop,
    "retained-unneeded": keeping.retained,
    "created-unneeded": creating.created,
    "constant-gradient": creating.constant,
    "graph-growth": keeping.growth,
    "stepped-parameter": writing.stepped,
    "overwritten": writing.overwritten,
    "stale-gradient": stepping.stale,
    "cleared-gradient": stepping.cleared,
    "empty-step": stepping.empty,
    "rewrapped": leaves.rewrapped,
    "unkept-gradient": leaves.unkept,
    "rebound-leaf": leaves.rebound,
    "nothing-set": statements.nothing_set,
    "own-gradient": upstream.own,
    "defeated": around.defeated,
    "forgotten-state": around.forgotten,
    "early-schedule": around.early,
    "useless-clip": around.useless,
    "unreached": reaching.unreached_step,
    "dropped-term": reaching.dropped,
    "left-out": reaching.left_out,
    "stale-parameters": reaching.stale,
    "mixed-backward": scaling.mixed,
    "scaled-clip": scaling.clipped,
    "scaler-bypassed": scaling.bypassed,
    "scaler-protocol": scaling.protocol,
    "no-effect": statements.without_effect,
    "unwalked-graph": evaluating.unwalked,
    "evaluated-in-train": evaluating.in_train_mode,
    "stuck-in-eval": evaluating.stuck,
    "deaf-dropout": evaluating.deaf,
    "unrecorded": recording.missed,
    "never-called": statements.never_called,
}
"""By the name that rules' documents use."""


def judge(case: Case) -> Judgement:
    """What the finding's oracle says; a rule without an oracle stays open."""
    oracle = ORACLES.get(case.asked.oracle)
    if oracle is None:
        return inconclusive("the verifier cannot judge this rule yet")
    return oracle(case)
