"""What each kind of goal asks of a trick: worked by hand on tables set up card by card."""

from __future__ import annotations

import numpy as np
import pytest

from sim.tricks.needs import find_needs
from sim.tricks.policies import features
from sim.tricks.policies.features import UNIT
from sim.tricks.rules import (
    BETWEEN,
    CARDS,
    DISTINCT_RANKS,
    KEPT_SUIT,
    LAST_CARD,
    LATE_TRICKS,
    LEADS,
    MOST,
    OF_EACH,
    SAME_RANK,
    TRICKS,
    TRICKS_WITHOUT,
)
from sim.tricks.table import NOBODY

from .open_table import give_goal, mask, play, table

HANDS = ["H4 M1 F2", "H2 H6 M2", "H1 H3 M3"]


def test_one_of_every_rank_asks_only_for_ranks_that_are_missing_and_spares_none_of_the_last_ones() -> None:
    rules, public, view = table(HANDS)
    give_goal(public, 0, DISTINCT_RANKS, "H1 H2 H3 H4 H6 M1 M2 M3 F2 R2 R3 R4", low=5)
    public.won[0] = np.uint64(mask("R2"))
    find_needs(rules, public, view)
    # Rank 2 is won; of ranks 1 and 3 two cards are left, of 4 and 6 one.
    assert view.wanted[0] == mask("H1 M1 H3 M3 H4 H6")
    assert view.urgent[0] == mask("H4 H6")
    early = int(view.card[0])
    public.low[0, 0] = 4
    find_needs(rules, public, view)
    # Five ranks are within reach.
    assert view.urgent[0] == 0
    public.low[0, 0] = 5
    public.won[0] = np.uint64(mask("R2 R4 R3"))
    find_needs(rules, public, view)
    assert view.wanted[0] == mask("H1 M1 H6")
    assert int(view.card[0]) < early


def test_losing_the_last_card_of_a_missing_rank_counts_as_a_lost_goal() -> None:
    rules, public, view = table(HANDS)
    give_goal(public, 0, DISTINCT_RANKS, "H1 H2 H3 H4 H6 M1 M2 M3 F2", low=5)
    view.hand = np.uint64(mask(HANDS[0]))
    features.prepare_card(rules, public, view)
    assert features.taken(public, view, 1, np.uint64(mask("H4 H1 H2"))) == (0, UNIT)
    lost, killed = features.taken(public, view, 1, np.uint64(mask("H1 H2")))
    assert killed == 0
    assert lost == 2 * int(view.value[0])


def test_three_of_a_rank_ask_for_the_ranks_that_lack_fewest() -> None:
    rules, public, view = table(HANDS)
    give_goal(public, 0, SAME_RANK, "H1 H2 H3 H4 H6 M1 M2 M3 F2 F1 F3", low=3)
    public.won[0] = np.uint64(mask("F1"))
    find_needs(rules, public, view)
    # Ranks 1 lacks two, and so many are left; of rank 2 all three are.
    assert view.wanted[0] == mask("H1 M1")
    public.won[0] = np.uint64(mask("F1 H1 M1"))
    play(public, "H1 M1")
    find_needs(rules, public, view)
    assert view.wanted[0] == 0
    assert view.card[0] == 0


def test_the_most_cards_are_asked_for_only_until_nobody_can_have_more() -> None:
    rules, public, view = table(HANDS)
    give_goal(public, 0, CARDS, "H1 H2 H3 H4 H6 H7 H8", compare=MOST)
    find_needs(rules, public, view)
    behind = int(view.card[0])
    assert view.wanted[0] == mask("H1 H2 H3 H4 H6")
    assert view.spare[0] == 2
    public.won[0] = np.uint64(mask("H7 H8"))
    find_needs(rules, public, view)
    assert 0 < view.card[0] < behind
    assert view.spare[0] == 3
    play(public, "H1 H2 H3 H4")
    find_needs(rules, public, view)
    # One Hill is left, two are won.
    assert view.wanted[0] == 0


@pytest.mark.parametrize(
    ("tricks", "signs"),
    [
        # Nobody below: the seat has to win.
        ((2, 2, 4), (1, 0, 0)),
        # Nobody above: another has to, but not the only one below.
        ((3, 1, 3), (-1, -1, 1)),
        # In between, one trick above the only one below: that one should not win.
        ((2, 1, 5), (1, -1, 0)),
        # Far from both: nothing.
        ((4, 0, 8), (0, 0, 0)),
    ],
)
def test_between_fewest_and_most_tells_all_seats_who_has_to_win(tricks: tuple[int, ...], signs: tuple[int, ...]) -> None:
    rules, public, view = table(HANDS)
    give_goal(public, 0, TRICKS, compare=BETWEEN)
    for seat, won in enumerate(tricks):
        public.tricks_won[seat] = won
    find_needs(rules, public, view)
    assert tuple(np.sign(view.trick[: len(tricks)])) == signs


def test_a_kept_suit_asks_for_the_suit_that_lacks_fewest_of_those_in_the_open_hand() -> None:
    rules, public, view = table(HANDS)
    give_goal(public, 0, KEPT_SUIT, low=3)
    public.won[0] = np.uint64(mask("H7 H8 S1 S2 S3"))
    find_needs(rules, public, view)
    # No Shadow is left in hand; one Hill more is enough, one of five being kept.
    assert view.wanted[0] == mask("H1 H2 H3 H4 H6")
    assert view.spare[0] == 3
    features.prepare_card(rules, public, view)
    assert view.keep == mask("H4")
    public.won[0] = np.uint64(mask("H7 H8 H5"))
    find_needs(rules, public, view)
    assert view.wanted[0] == 0
    assert view.trick[0] == 0


def test_who_must_win_a_late_trick_keeps_what_nobody_beats() -> None:
    rules, public, view = table(["H4 M7 F2", "H2 H6 M2", "H1 H3 M3"], unseen="F8")
    give_goal(public, 0, LATE_TRICKS, low=1, window=1)
    features.prepare_card(rules, public, view)
    assert view.keeps
    assert view.keep == mask("M7")
    public.counter[0, 0] = 1
    features.prepare_card(rules, public, view)
    assert not view.keeps
    assert view.keep == 0


def test_what_one_seat_keeps_and_must_not_lead_says_nothing_of_the_next() -> None:
    rules, public, view = table(HANDS)
    give_goal(public, 0, LEADS, "H4", high=0)
    give_goal(public, 0, LAST_CARD, "M1", low=1)
    features.prepare_card(rules, public, view)
    assert (view.keeps, view.keep, view.shunned) == (1, mask("M1"), mask("H4"))
    view.seat = 1
    features.prepare_card(rules, public, view)
    assert (view.keeps, view.keep, view.shunned) == (0, 0, 0)


def test_what_each_has_to_win_can_be_spared_only_as_far_as_it_lasts() -> None:
    rules, public, view = table(HANDS, unseen="R1 R2 R3 R4")
    give_goal(public, 0, CARDS, "R1 R2 R3 R4", low=1, scope=OF_EACH)
    find_needs(rules, public, view)
    assert all(view.wanted[seat] == mask("R1 R2 R3 R4") and view.spare[seat] == 1 for seat in range(3))
    public.won[1] = np.uint64(mask("R4"))
    play(public, "R4")
    find_needs(rules, public, view)
    assert view.wanted[1] == 0
    assert view.spare[0] == 1


def test_who_may_win_nothing_without_a_ring_is_shy_until_one_lies_there() -> None:
    rules, public, view = table(HANDS, unseen="R2 R3")
    give_goal(public, 0, TRICKS_WITHOUT, "R2 R3", high=0)
    features.prepare_card(rules, public, view)
    assert view.shy == UNIT
    public.in_trick = np.uint64(mask("R2"))
    view.prepared = NOBODY
    features.prepare_card(rules, public, view)
    assert view.shy == 0
