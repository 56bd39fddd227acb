"""What a replay says that a seat knew is true, complete, and no more than its person could know."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sim.tricks.knowledge import Knowledge
from sim.tricks.replay import Replay

from .games import LATER, SEED, chapter

LABELS = ("1", "2", "3", "4", *LATER)


class Watched(Replay):
    """A replay that keeps the true hands at every decision beside what was known there."""

    truths: list[list[set[str]]]

    def _decide(self) -> None:
        before = len(self.known)
        hands = [set(hand) for hand in self.hands()]
        if int(self.hidden.blind_card) >= 0:
            # The others only see that it lies there.
            hands[int(self.public.blind)].add(self.scenario.cards[int(self.hidden.blind_card)])
        super()._decide()
        if len(self.known) > before:
            self.truths.append(hands)


def watched(label: str, players: int, deal: int) -> Watched:
    replay = Watched(chapter(label), players, "random", SEED, deal, knowledge=True)
    replay.truths = []
    replay.set_up()
    replay.play()
    return replay


def cards_in(text: str) -> set[str]:
    return set(re.findall(r"\b[A-Z][0-9]{1,2}\b", text))


def fact(told: Knowledge, start: str) -> str:
    return next((text for text in told.facts if text.startswith(start)), "")


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("label", LABELS)
def test_what_was_known_is_true_and_nothing_is_missing(label: str, players: int) -> None:
    replay = watched(label, players, 3)
    assert replay.known
    for told, hands in zip(replay.known, replay.truths, strict=True):
        person = int(replay.public.controller[told.seat])
        assert set(told.hand) <= hands[person]
        assert hands[person] - set(told.hand) <= cards_in(fact(told, "face down"))
        unseen = cards_in(fact(told, "not seen"))
        assert not unseen & hands[person]
        for seat in range(replay.seats):
            if seat == person:
                continue
            names = {replay.character(seat), f"seat {seat}"}
            about = next((text for name in names if (text := fact(told, f"{name} "))), "")
            held, _, voids = about.partition("has no ")
            held = re.sub(r"\(.*?\)", "", held)
            # Known cards are there, and a card there is either known or among the unseen.
            assert cards_in(held) <= hands[seat], told
            assert hands[seat] <= cards_in(held) | unseen, told
            suits = voids.removeprefix("other ").split()
            assert not {card for card in hands[seat] if card[0] in suits} - (cards_in(held) if "other" in voids else set()), told


def test_cards_that_changed_hands_are_named_by_where_they_went() -> None:
    told = [*_decisions_of("4", 3, 123, "script")]
    assert any("frodo holds R5 (passed to it)" in facts for facts in told)
    assert any("got H2 from fatty_bolger" in facts for facts in told)


def test_voids_shown_by_not_following_are_named() -> None:
    assert any("has no " in facts for facts in _decisions_of("1", 4, 0, "random"))


def test_nothing_is_kept_that_was_not_asked_for() -> None:
    replay = Replay(chapter("1"), 3, "random", SEED, 0)
    replay.set_up()
    replay.play()
    assert replay.known == []


def _decisions_of(label: str, players: int, deal: int, policy: str) -> list[Any]:
    replay = Replay(chapter(label), players, policy, 7, deal, knowledge=True)
    replay.set_up()
    replay.play()
    return ["; ".join(told.facts) for told in replay.known]
