"""A whole round under one policy: the scalar kernel that plays a deal from seed to verdict without allocating."""

from __future__ import annotations

from sim.core.jit import inlined, kernel, merged
from sim.tricks.engine import advance, apply, prepare
from sim.tricks.policies import dispatch
from sim.tricks.view import look


@inlined
def is_won(public, hidden):
    """Return whether a finished round is won: all goals are met, but for those that may fail."""
    return hidden.met + public.spare >= public.seats


@kernel
def finish(rules, public, privates, hidden, view, brain, luck, choices, policy, log):
    """Let `policy` decide everything from where the round stands to its end; returns whether it is won."""
    view.prepared = -1
    while advance(rules, public, privates, hidden, luck, log):
        look(rules, public, privates, hidden, view)
        apply(rules, public, privates, hidden, dispatch.choose(policy, rules, public, view, brain, choices), log)
    return is_won(public, hidden)


@merged
def play_round(
    rules,
    public,
    privates,
    hidden,
    view,
    brain,
    luck,
    choices,
    policy,
    seed_low,
    seed_high,
    round_number,
    deal_number,
    stop_early,
    log,
):
    """Play a round of a deal and return whether it was won.

    rules: record RULES; public, privates, hidden: a table; view: record VIEW, scratch; brain: weights
    of `team`; luck, choices: random sources; policy:
    number of a policy; seed_low, seed_high, round_number, deal_number: uint64; stop_early: end once a goal is lost for good
    or all are met; log: record LOG. The table holds the final position afterwards.
    """
    prepare(rules, public, privates, hidden, luck, choices, seed_low, seed_high, round_number, deal_number)
    hidden.stop_early = stop_early
    return finish(rules, public, privates, hidden, view, brain, luck, choices, policy, log)
