"""A replay of any round of any attempt is the round that the run played."""

from __future__ import annotations

from pathlib import Path

import pytest

import scenarios
from scenarios.errors import UserError
from sim.tricks.batch import play_columns
from sim.tricks.plan import kinds_of
from sim.tricks.replay import Replay, record
from sim.tricks.round import is_won
from sim.tricks.standing import standing
from sim.tricks.table import FAILED
from sim.tricks.transcript import transcript

from .games import check

SEED = 11
CELLS = [
    ("13", 4, "team", 6),
    ("14", 3, "team", 6),
    ("14", 4, "script", 4),
    ("9", 3, "random", 4),
    ("18", 3, "team", 40),
    ("7", 4, "script", 4),
]
"""Chapter, players, policy, deals."""


@pytest.mark.parametrize(("chapter", "players", "policy", "deals"), CELLS)
@pytest.mark.parametrize("retry", ["fresh", "keep"])
def test_every_round_is_replayed_as_it_was_played(chapter: str, players: int, policy: str, deals: int, retry: str) -> None:
    scenario = scenarios.load(chapter)
    rounds, goals = play_columns(scenario, players, policy, SEED, 0, deals, False, retry=retry, attempts=3)
    assert rounds.attempt.max() > 1
    for i in range(len(rounds)):
        row = rounds[i]
        place = standing(scenario, players, policy, SEED, int(row.deal), int(row.attempt), int(row.number), retry)
        assert place.scenario is kinds_of(scenario)[int(row.kind)]
        replay = Replay(scenario, players, policy, SEED, int(row.deal), standing=place)
        told = record(replay)
        assert (told["round"], told["attempt"]) == (row.number, row.attempt)
        roster = [entry.character for entry in place.scenario.roster]
        assert [seat["character"] for seat in told["seats"]] == [roster[role] for role in goals.character[i]]
        won = [sum(trick["winner"] == seat for trick in told["tricks"]) for seat in range(len(goals[i]))]
        assert won == goals.tricks[i].tolist()
        assert bool(is_won(replay.public, replay.hidden)) == bool(row.won)
        lost = [int(verdict) == FAILED for verdict in replay.hidden.verdict[: len(goals[i])]]
        assert lost == (goals.lost_after[i] < 255).tolist()


def test_the_transcript_says_which_round_it_is_and_what_the_mithril_shirt_does() -> None:
    scenario = scenarios.load("13")
    rounds, goals = play_columns(scenario, 4, "team", SEED, 0, 100, False)
    saved = (rounds.number > 1) & rounds.won & (goals.lost_after < 255).any(axis=1)
    assert saved.any()
    row = rounds[saved.argmax()]
    place = standing(scenario, 4, "team", SEED, int(row.deal), 1, int(row.number))
    lines = list(transcript(Replay(scenario, 4, "team", SEED, int(row.deal), standing=place)))
    assert lines[1].endswith(f"deal {row.deal}, attempt 1, round {row.number}")
    assert lines[2].startswith("completed before: frodo, ")
    assert "The round is won: Mithril Shirt makes up for one goal." in lines


def test_records_of_all_rounds_are_right_those_over_the_bridge_too(tmp_path: Path) -> None:
    scenario = scenarios.load("14")
    rounds, _ = play_columns(scenario, 3, "team", SEED, 0, 4, False, retry="keep", attempts=40)
    records = []
    for i in range(len(rounds) - 12, len(rounds)):
        row = rounds[i]
        place = standing(scenario, 3, "team", SEED, int(row.deal), int(row.attempt), int(row.number), "keep")
        records.append(record(Replay(scenario, 3, "team", SEED, int(row.deal), standing=place)))
    assert any(told["kind"] == "bridge_of_khazad_dum" for told in records)
    assert check(records, tmp_path) == [[] for _ in records]


def test_a_round_that_a_deal_does_not_come_to_is_refused() -> None:
    scenario = scenarios.load("9")
    rounds, _ = play_columns(scenario, 3, "random", SEED, 0, 1, False)
    assert len(rounds) == 1
    message = r"--attempt 1 --round 2: deal 0 does not come to it under random, it is lost in round 1 of attempt 1"
    with pytest.raises(UserError, match=message):
        standing(scenario, 3, "random", SEED, 0, 1, 2)
    with pytest.raises(UserError, match="--attempt 2: needs --retry fresh or --retry keep"):
        standing(scenario, 3, "random", SEED, 0, 2, 1)
