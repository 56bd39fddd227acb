"""What each goal asks of the current trick, in points that all at the table can work out.

Policies reason with these instead of with characters, so that a new character is played from its goal terms. A point is
a hundredth of a goal at stake: FATAL stands for a goal lost at once.
"""

from __future__ import annotations

from sim.core.jit import ZERO, count, kernel
from sim.tricks import goals
from sim.tricks.rules import (
    ABSOLUTE,
    BETWEEN,
    CARDS,
    DISTINCT_RANKS,
    FEWEST,
    KEPT_SUIT,
    LATE_TRICKS,
    MOST,
    NO_LIMIT,
    OF_EACH_OTHER,
    OF_SELF,
    RUN,
    SAME_RANK,
    STREAK,
    TRICKS,
    TRICKS_WITH,
    TRICKS_WITHOUT,
)
from sim.tricks.table import NOBODY

FATAL = 1000


@kernel
def _trick_points(won, low, high, left):
    """Return the points of one more trick for a seat that wants between low and high, has `won` and plays in `left` more."""
    if won >= high:
        return -FATAL
    need = low - won
    if need > 0:
        return 40 + (160 * need) // max(1, left)
    if high < NO_LIMIT:
        return -30
    return 0


@kernel
def _compared_points(public, seat, compare):
    """Return the points of one more trick for a seat whose tricks are compared with the others'."""
    won = public.tricks_won[seat]
    least = NO_LIMIT
    most = 0
    for other in range(public.seats):
        if other != seat:
            least = min(least, public.tricks_won[other])
            most = max(most, public.tricks_won[other])
    if compare == FEWEST:
        return -200 if won + 1 > least else -60
    if compare == MOST:
        return 80
    if won < least or (won == least and won < most):
        return 50
    return -60 if won >= most else 0


@kernel
def _streak_points(public, seat, left, high):
    won = public.tricks_won[seat]
    if won >= high:
        return -FATAL
    if won == 0:
        return 20 if left > high + 1 else 200
    return 300 if public.last_winner == seat else -FATAL


@kernel
def find_needs(rules, public, view):
    """Write every seat's needs between two tricks into the record `view` (dtype VIEW)."""
    unseen = goals.unplayed(rules, public)
    for seat in range(public.seats):
        view.trick[seat] = 0
        view.wanted[seat] = ZERO
        view.card[seat] = 0
        view.spare[seat] = 0
        view.hated[seat] = ZERO
        view.inside[seat] = ZERO
        view.inside_value[seat] = 0
        view.outside_value[seat] = 0
    for seat in range(public.seats):
        # The trick in hand counts as still to come for all, so that the needs are the same all through a trick.
        left = public.plays_left[seat] + (1 if public.trick_card[seat] != NOBODY else 0)
        for term in range(public.terms[seat]):
            measure = public.measure[seat, term]
            low = public.low[seat, term]
            high = public.high[seat, term]
            cards = public.term_cards[seat, term]
            compare = public.compare[seat, term]
            if public.scope[seat, term] != OF_SELF:
                for other in range(public.seats):
                    if other == seat and public.scope[seat, term] == OF_EACH_OTHER:
                        continue
                    if measure == TRICKS and public.tricks_won[other] < low:
                        view.trick[other] += 60
                    elif measure == CARDS and count(public.won[other] & cards) < low:
                        view.wanted[other] |= cards & unseen
                        view.card[other] = max(view.card[other], 80)
            elif measure == TRICKS:
                if compare == ABSOLUTE:
                    view.trick[seat] += _trick_points(public.tricks_won[seat], low, high, left)
                else:
                    view.trick[seat] += _compared_points(public, seat, compare)
            elif measure == STREAK:
                view.trick[seat] += _streak_points(public, seat, left, high)
            elif measure == LATE_TRICKS:
                late = public.tricks - public.window[seat, term]
                if public.trick >= late and public.counter[seat, term] < low:
                    view.trick[seat] += 100 + 200 // max(1, public.tricks - public.trick)
            elif measure == CARDS and compare == ABSOLUTE:
                have = goals.cards_won(public, seat, cards)
                if have >= high:
                    view.hated[seat] |= cards & unseen
                elif have < low:
                    there = count(cards & unseen)
                    view.wanted[seat] |= cards & unseen
                    view.card[seat] = max(view.card[seat], 60 + (200 * (low - have)) // max(1, there))
                    view.spare[seat] = there - (low - have)
            elif measure == CARDS or measure == DISTINCT_RANKS or measure == SAME_RANK or measure == RUN:
                if compare != BETWEEN:
                    view.wanted[seat] |= cards & unseen
                    view.card[seat] = max(view.card[seat], 25 if compare != FEWEST else -40)
                    view.spare[seat] = NO_LIMIT
            elif measure == KEPT_SUIT:
                view.trick[seat] += 30
            elif measure == TRICKS_WITH and public.counter[seat, term] < low:
                view.inside[seat] |= cards
                view.inside_value[seat] = 60 + (160 * (low - public.counter[seat, term])) // max(1, left)
            elif measure == TRICKS_WITHOUT and public.counter[seat, term] >= high:
                view.inside[seat] |= cards
                view.outside_value[seat] = -FATAL
        lender = public.lender[seat]
        if lender != NOBODY and view.card[seat] > 0:
            view.wanted[lender] |= view.wanted[seat] & public.lent[seat]
            view.card[lender] = max(view.card[lender], view.card[seat])
