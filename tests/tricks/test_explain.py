"""Reasons for the decisions that only some chapters ask: told in the words of the table, and of the policy that decides."""

from __future__ import annotations

import pytest

from sim.tricks import decisions
from sim.tricks.replay import Replay
from sim.tricks.transcript import transcript

from .games import LATER, SEED, chapter

RARE = range(decisions.THREAT, decisions.LEADER + 1)


@pytest.mark.parametrize("policy", ["script", "team"])
@pytest.mark.parametrize("label", LATER)
def test_every_decision_of_a_later_chapter_has_a_reason_in_words(label: str, policy: str) -> None:
    scenario = chapter(label)
    for players in (3, 4):
        replay = Replay(scenario, players, policy, SEED, 3, explain=True)
        told = list(transcript(replay))
        for reason in replay.reasons:
            assert any(reason.why in line for line in told), reason
            if reason.kind in RARE:
                assert reason.why.startswith("best of " if policy == "team" else "plain rule: ")
                if policy == "team":
                    # The first of the best options is what was chosen.
                    assert reason.why.removeprefix("best of ").split(", ")[0].rpartition(" ")[0] == reason.chosen


def test_chosen_threats_and_cards_are_named_as_what_they_are() -> None:
    council = Replay(chapter("11"), 4, "team", SEED, 3, explain=True)
    assert any("takes the threat" in line for line in transcript(council))
    isengard = Replay(chapter("12"), 4, "team", SEED, 3, explain=True)
    told = list(transcript(isengard))
    kept = [reason for reason in isengard.reasons if reason.kind in (decisions.RESERVED, decisions.AHEAD, decisions.TUCKED)]
    assert kept
    assert all(reason.chosen in chapter("12").cards for reason in kept)
    assert any("keeps for the last trick" in line for line in told)
