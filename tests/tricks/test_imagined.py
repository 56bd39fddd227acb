"""The worlds that `search` imagines are whole: every card is in one place, and fits what is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.core.random import new_source
from sim.tricks import decisions, goals, setup
from sim.tricks.engine import advance, apply
from sim.tricks.replay import Replay
from sim.tricks.search import imagine, new_worlds
from sim.tricks.table import FAILED, MET, OPEN
from sim.tricks.view import look

from .games import CHAPTERS, LATER, PLAYERS, SEED, chapter

VARIANTS = [("6", (("A18", "chosen"),)), ("15", (("A19", "no"),)), ("9", (("A9", "private"), ("A20", "owner_too")))]
CASES = [(label, ()) for label in (*CHAPTERS, *LATER)] + VARIANTS
DEALS = 2


def slots(cards: Any) -> list[int]:
    """Return the members of a mask."""
    return [slot for slot in range(64) if int(cards) >> slot & 1]


class World:
    """An imagined table beside the real one."""

    def __init__(self, replay: Replay, public: Any, privates: Any, hidden: Any) -> None:
        self.replay, self.public, self.privates, self.hidden = replay, public, privates, hidden
        self.view, self.rules = replay._view, replay.rules
        self.seats = range(int(public.seats))

    def places(self) -> list[int]:
        """Return the cards of all places, one by one."""
        public, hidden = self.public, self.hidden
        found = [slot for seat in self.seats for slot in slots(self.privates.hand[seat])]
        for cards in (public.played, public.in_trick, public.lost, public.reserved, public.ahead):
            found += slots(cards)
        found += [int(self.privates.tucked)] if public.tucked >= 0 else []
        found += [int(hidden.blind_card)] if hidden.blind_card >= 0 else []
        found += [int(hidden.given)] if hidden.given >= 0 else []
        if self.replay.players == 1 or int(hidden.stage) == decisions.DEALING:
            found += [int(slot) for slot in hidden.order[int(hidden.next_draw) : int(hidden.draw_end)]]
        return found + slots(hidden.pile)

    def check(self) -> None:
        """Assert that the world is whole and agrees with what is known."""
        public, privates, hidden, rules = self.public, self.privates, self.hidden, self.rules
        assert sorted(self.places()) == slots(rules.deck)
        for seat in self.seats:
            hand = int(privates.hand[seat])
            assert hand.bit_count() == int(public.cards_left[seat])
            assert int(public.shown[seat]) & ~hand == 0
        if public.pyramid >= 0:
            lying = [int(slot) for slot in hidden.slot_card[: int(rules.pyramid)] if slot >= 0] + slots(hidden.loose)
            assert sorted(lying) == slots(privates.hand[public.pyramid])
        assert int(hidden.pile).bit_count() == int(public.pile)
        assert int(hidden.pile) & int(rules.pile_not) == 0
        if hidden.blind_card >= 0 and public.blind_suit >= 0:
            assert int(rules.suit_mask[public.blind_suit]) >> int(hidden.blind_card) & 1
        if rules.reveal_test:
            size, at = int(rules.reveal_cards), int(hidden.reveal_next)
            order = [int(card) for card in hidden.reveal_order]
            for first in range(0, len(order) - size + 1, size):
                assert sorted(order[first : first + size]) == list(range(size))
            assert order[:at] == [int(card) for card in self.replay.hidden.reveal_order[:at]]
        for seat in self.seats:
            mine = int(public.controller[seat]) == int(public.controller[self.view.seat])
            told = int(self.replay.privates.threat[seat])
            if told and (mine and not int(public.untold) >> seat & 1):
                assert int(privates.threat[seat]) == told
            if told:
                assert int(rules.threats) >> int(privates.threat[seat]) & 1 or int(rules.among[public.character[seat]])
        for index in range(int(hidden.plan_at)):
            card, giver = int(hidden.plan_card[index]), int(hidden.plan_from[index])
            assert card < 0 or int(privates.hand[giver]) >> card & 1


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize(("label", "assume"), CASES, ids=lambda value: str(value))
def test_imagined_worlds_are_whole(label: str, assume: tuple[tuple[str, str], ...], players: int) -> None:
    scenario = chapter(label, assume)
    publics, privates, hiddens, *_ = new_worlds(False)
    source = new_source()
    source.next = 8
    guessed: set[bytes] = set()
    for deal in range(DEALS):
        replay = Replay(scenario, players, "random", SEED, deal)
        while advance(*replay._table, replay._luck, replay.log):
            look(*replay._table, replay._view)
            for _ in range(2):
                publics[0], hiddens[0] = replay.public, replay.hidden
                imagine(replay.rules, publics[0], replay._view, privates[0], hiddens[0], source)
                World(replay, publics[0], privates[0], hiddens[0]).check()
                guessed.add(np.asarray(privates[0].hand).tobytes() + np.asarray(hiddens[0].order).tobytes())
            apply(*replay._table, replay._choose(), replay.log)
    assert len(guessed) > 40


@pytest.mark.parametrize("players", [3, 4])
def test_an_imagined_hidden_threat_agrees_with_what_was_said_of_the_goal(players: int) -> None:
    scenario = chapter("14").rounds["long_dark"]
    publics, privates, hiddens, *_ = new_worlds(False)
    source, judged, open_to_several = new_source(), 0, 0
    for deal in range(8):
        replay = Replay(scenario, players, "team", SEED, deal)
        while advance(*replay._table, replay._luck, replay.log):
            look(*replay._table, replay._view)
            public, rules = replay.public, replay.rules
            imagined: dict[int, set[int]] = {}
            for _ in range(6):
                publics[0], hiddens[0] = public, replay.hidden
                imagine(rules, publics[0], replay._view, privates[0], hiddens[0], source)
                for seat in range(players):
                    theirs = public.controller[seat] != public.controller[replay._view.seat]
                    # While its goal is lost no threat can agree with it.
                    if theirs and int(public.secret) >> seat & 1 and public.tricks > 0 and replay.hidden.verdict[seat] != FAILED:
                        imagined.setdefault(seat, set()).add(int(privates[0].threat[seat]))
            for seat, threats in imagined.items():
                pool = goals.unplayed(rules, public)
                stands = {value: stand(rules, public, seat, value, pool) for value in range(1, 8)}
                for value in threats:
                    assert stands[value] != FAILED
                    if int(public.announced) >> seat & 1:
                        assert stands[value] == MET or MET not in stands.values()
                    else:
                        assert stands[value] == OPEN
                judged += 1
                open_to_several += len(threats) > 1
            apply(*replay._table, replay._choose(), replay.log)
    assert judged > 100
    assert open_to_several > 20


def stand(rules: Any, public: Any, seat: int, threat: int, pool: Any) -> int:
    """Return how a seat's goal would stand with a threat, as far as all can see."""
    # A trick in hand is one that all may still win.
    playing = [other for other in range(int(public.seats)) if public.trick_card[other] >= 0]
    for other in playing:
        public.plays_left[other] += 1
    setup.bind_goal(rules, public, seat, threat, public.way[seat])
    verdict = goals.verdict(rules, public, seat, pool)
    setup.bind_goal(rules, public, seat, public.threat[seat], public.way[seat])
    for other in playing:
        public.plays_left[other] -= 1
    return int(verdict)
