"""Tables in the midst of a round, and the plainest search there is: every decision, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from scenarios import Scenario
from sim.core.jit import ONE, ZERO, kernel, lowest
from sim.core.random import new_source
from sim.tricks.decisions import CARD, LEADER, NOTHING, UNTUCK
from sim.tricks.engine import advance, apply
from sim.tricks.replay import Replay
from sim.tricks.table import HIDDEN, PRIVATES, PUBLIC, new_log

PLIES = 80


@kernel
def every_ending(rules, public, privates, hidden, todo, luck, log, limit):
    """Return 1 when some way of going on from table 0 meets all goals but for those that may fail, 0 when none does, -1 after
    `limit` decisions.

    public, privates, hidden: arrays of PLIES tables; todo: array of as many masks.
    """
    if not advance(rules, public[0], privates[0], hidden[0], luck, log):
        return 1 if hidden[0].met + public[0].spare >= public[0].seats else 0
    todo[0] = hidden[0].options
    ply = 0
    decisions = 0
    while ply >= 0:
        if todo[ply] == ZERO:
            ply -= 1
            continue
        choice = lowest(todo[ply])
        todo[ply] &= todo[ply] - ONE
        public[ply + 1] = public[ply]
        privates[ply + 1] = privates[ply]
        hidden[ply + 1] = hidden[ply]
        apply(rules, public[ply + 1], privates[ply + 1], hidden[ply + 1], choice, log)
        decisions += 1
        if decisions == limit:
            return -1
        if advance(rules, public[ply + 1], privates[ply + 1], hidden[ply + 1], luck, log):
            if hidden[ply + 1].failed <= public[0].spare:
                ply += 1
                todo[ply] = hidden[ply].options
        elif hidden[ply + 1].met + public[0].spare >= public[0].seats:
            return 1
    return 0


def can_be_won(rules: Any, public: Any, privates: Any, hidden: Any, limit: int = 1_000_000) -> int:
    """Return what `every_ending` says of a table."""
    tables = [np.zeros(PLIES, dtype).view(np.recarray) for dtype in (PUBLIC, PRIVATES, HIDDEN)]
    for stack, record in zip(tables, (public, privates, hidden), strict=True):
        stack[0] = record
    return int(every_ending(rules, *tables, np.zeros(PLIES, np.uint64), new_source(), new_log(False), limit))


def table_before(scenario: Scenario, players: int, policy: str, deal: int, seed: int, to_go: int) -> Replay | None:
    """Return a deal played by a policy up to the first decision of the trick after which `to_go` - 1 are left.

    None when that trick begins with no decision.
    """
    replay = Replay(scenario, players, policy, seed, deal)
    replay.set_up()
    while advance(replay.rules, replay.public, replay.privates, replay.hidden, replay._luck, replay.log):
        left = int(replay.public.tricks) - int(replay.public.trick)
        if left == to_go and replay.hidden.step == 0 and replay.hidden.pending in (CARD, UNTUCK, LEADER):
            if replay.hidden.pending != CARD:
                # So that it is asked again.
                replay.hidden.between -= 1
                replay.hidden.pending = NOTHING
            return replay
        if left < to_go:
            return None
        replay._decide()
    return None
