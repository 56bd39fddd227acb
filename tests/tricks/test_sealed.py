"""A goal that was sealed before the end is, looked at afresh from the finished table, what it was sealed as."""

from __future__ import annotations

import pytest

from sim.tricks import goals, tricks
from sim.tricks.engine import advance
from sim.tricks.replay import Replay
from sim.tricks.table import FAILED, MET

from .games import CHAPTERS, LATER, PLAYERS, chapter

DEALS = 40
SEED = 20251


@pytest.mark.parametrize("policy", ["random", "script"])
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("label", CHAPTERS + LATER)
def test_sealed_goals_stand_at_the_end(label: str, players: int, policy: str) -> None:
    early = 0
    for deal in range(DEALS):
        replay = Replay(chapter(label), players, policy, SEED, deal)
        while advance(*replay._table, replay._luck, replay.log):
            replay._decide()
        rules, public, privates, hidden = replay._table
        for seat in range(int(public.seats)):
            own = tricks.own_cards(rules, public, privates.hand[seat], seat)
            at_end = int(goals.verdict(rules, public, seat, own))
            assert at_end in (MET, FAILED), (deal, seat)
            sealed = int(hidden.verdict[seat])
            if public.event_failed:
                assert sealed == FAILED
            else:
                assert sealed == at_end, (deal, replay.character(seat))
            sealed_after = max(int(hidden.lost_after[seat]), int(hidden.met_after[seat]))
            early += sealed_after < int(public.tricks)
    assert early > DEALS
