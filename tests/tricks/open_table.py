"""A table of chapter 2 set up card by card: hands that lie open, and goals term by term."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.tricks.decisions import CARD
from sim.tricks.link import load_rules
from sim.tricks.replay import Replay
from sim.tricks.rules import ABSOLUTE, NO_LIMIT, OF_SELF
from sim.tricks.table import NOBODY, new_record
from sim.tricks.view import VIEW

from .games import chapter


def mask(cards: str) -> int:
    """Return cards of chapter 2, such as `H3 R1`, as a mask."""
    slots = {card: slot for slot, card in enumerate(chapter("2").cards)}
    return sum(1 << slots[card] for card in cards.split())


def table(hands: list[str], unseen: str = "") -> tuple[Any, Any, Any]:
    """Return (rules, public, view) of a solo trick of chapter 2 that seat 0 leads, the hands lying open; nobody has a goal."""
    scenario = chapter("2")
    rules = load_rules(scenario, 1)
    replay = Replay(scenario, 1, "team", 1, 1)
    public, view = replay.public, new_record(VIEW)
    masks = [mask(hand) for hand in hands]
    hidden = mask(unseen)
    public.seats, public.tricks, public.trick = len(hands), 9, 0
    for seat, hand in enumerate(masks):
        public.shown[seat] = np.uint64(hand)
        public.cards_left[seat] = public.plays_left[seat] = hand.bit_count()
        public.trick_card[seat] = NOBODY
        public.character[seat] = seat
        public.terms[seat] = 0
    # Places without a seat are empty.
    public.shown[len(hands) :] = 0
    public.leader, public.led_suit, public.declared = 0, NOBODY, NOBODY
    public.in_trick = public.lost = np.uint64(0)
    public.played = np.uint64(int(rules.deck) & ~(sum(masks) | hidden))
    view.pending, view.seat = CARD, 0
    view.hand = np.uint64(masks[0])
    view.options = np.uint64(masks[0])
    view.prepared = NOBODY
    return rules, public, view


def play(public: Any, cards: str) -> None:
    """Take cards out of the round."""
    public.played = np.uint64(int(public.played) | mask(cards))


def give_goal(
    public: Any, seat: int, measure: int, cards: str = "", *, low: int = -1, high: int = NO_LIMIT, compare: int = ABSOLUTE,
    scope: int = OF_SELF, window: int = 0,
) -> None:  # fmt: skip
    """Add a term to the goal of a seat."""
    term = int(public.terms[seat])
    public.measure[seat, term], public.compare[seat, term], public.scope[seat, term] = measure, compare, scope
    public.low[seat, term], public.high[seat, term], public.window[seat, term] = low, high, window
    public.term_cards[seat, term], public.ties[seat, term], public.counter[seat, term] = np.uint64(mask(cards)), 0, 0
    public.terms[seat] = term + 1
