"""What each goal asks of the current trick, in points that all at the table can work out.

Policies reason with these instead of with characters, so that a new character is played from its goal terms. A point is
a hundredth of a goal at stake: FATAL stands for a goal lost at once.
"""

from __future__ import annotations

from sim.core.jit import ONE, ZERO, count, inlined, kernel
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
    RANKS,
    RUN,
    SAME_RANK,
    STREAK,
    TRICKS,
    TRICKS_WITH,
    TRICKS_WITHOUT,
)
from sim.tricks.table import NOBODY

FATAL = 1000


@inlined
def _urgency(missing, chances):
    """Return the points of each of `missing` things that there are `chances` left for."""
    return 40 + (160 * missing) // max(1, chances)


@kernel
def _trick_points(won, low, high, left):
    """Return the points of one more trick for a seat that wants between low and high, has `won` and plays in `left` more."""
    if won >= high:
        return -FATAL
    need = low - won
    if need > 0:
        return _urgency(need, left)
    if high < NO_LIMIT:
        return -30
    return 0


@kernel
def _tricks_of_others(public, seat):
    """Return (the fewest and the most tricks that another seat has won, how many of them have that fewest)."""
    least = NO_LIMIT
    most = 0
    alone = 0
    for other in range(public.seats):
        if other != seat:
            won = public.tricks_won[other]
            most = max(most, won)
            if won < least:
                least = won
                alone = 0
            if won == least:
                alone += 1
    return least, most, alone


@kernel
def _compared_points(public, view, seat, compare, left):
    """Give the points of one more trick for a seat whose tricks are compared with the others', and for those others."""
    won = public.tricks_won[seat]
    least, most, alone = _tricks_of_others(public, seat)
    if compare == FEWEST:
        view.trick[seat] += -200 if won + 1 > least else -60
    elif compare == MOST:
        view.trick[seat] += 80
    elif won <= least:
        # Somebody has to stay below.
        view.trick[seat] += _urgency(least + 1 - won, left)
    else:
        if won >= most:
            view.trick[seat] -= 80
        elif won + 1 >= most:
            view.trick[seat] -= 30
        elif won == least + 1:
            view.trick[seat] += 25
        for other in range(public.seats):
            if other == seat:
                continue
            theirs = public.tricks_won[other]
            if won >= most and (theirs > least or alone > 1):
                # Somebody has to go above.
                view.trick[other] += _urgency(won + 1 - theirs, left)
            elif theirs == most and 0 < most - won <= 2:
                view.trick[other] += 25
            if theirs == least and alone == 1 and theirs + 2 >= won:
                view.trick[other] -= 80 if theirs + 1 >= won else 30


@kernel
def _streak_points(public, seat, left, high):
    won = public.tricks_won[seat]
    if won >= high:
        return -FATAL
    if won == 0:
        return 20 if left > high + 1 else 200
    return 300 if public.last_winner == seat else -FATAL


@kernel
def _most_cards(public, view, seat, cards, unseen, ties):
    """Ask for cards until nobody can have more of them than the seat (or as many, without ties)."""
    most = 0
    for other in range(public.seats):
        if other != seat:
            most = max(most, count(public.won[other] & cards))
    ahead = count(public.won[seat] & cards) - most - (1 - ties)
    there = count(cards & unseen)
    if ahead < there:
        view.wanted[seat] |= cards & unseen
        view.card[seat] = max(view.card[seat], 30 + max(0, 120 - 20 * ahead) // max(1, there))
        view.spare[seat] = (ahead + there) // 2


@kernel
def _ranks(rules, public, view, seat, cards, unseen, low, left):
    """Ask for a card of every rank that the seat lacks."""
    missing = low
    within_reach = 0
    wanted = ZERO
    last = ZERO
    for rank in range(RANKS):
        here = rules.rank_mask[rank] & cards
        there = here & unseen
        if public.won[seat] & here != ZERO:
            missing -= 1
        elif there != ZERO:
            within_reach += 1
            wanted |= there
            if there & (there - ONE) == ZERO:
                last |= there
    if missing <= 0:
        return
    view.wanted[seat] |= wanted
    if within_reach <= missing:
        # No rank may be missed.
        view.urgent[seat] |= last
    view.card[seat] = max(view.card[seat], _urgency(missing, left))
    view.spare[seat] = NO_LIMIT


@inlined
def lacking(public, seat, cards, low, there):
    """Return how many of `cards` a seat lacks to have won `low`, NO_LIMIT when more than the `there` that it may still win."""
    missing = max(0, low - count(public.won[seat] & cards))
    return missing if missing <= there else NO_LIMIT


@kernel
def _same_rank(rules, public, view, seat, cards, unseen, low, left):
    """Ask for cards of the ranks of which the seat lacks the fewest."""
    fewest = NO_LIMIT
    spare = 0
    for rank in range(RANKS):
        here = rules.rank_mask[rank] & cards
        fewest = min(fewest, lacking(public, seat, here, low, count(here & unseen)))
    if fewest == 0 or fewest == NO_LIMIT:
        return
    for rank in range(RANKS):
        here = rules.rank_mask[rank] & cards
        there = count(here & unseen)
        missing = lacking(public, seat, here, low, there)
        if missing <= max(2, fewest):
            view.wanted[seat] |= here & unseen
            spare += there - missing
    if fewest > 2:
        view.wanted[seat] |= cards & unseen
        spare = NO_LIMIT
    view.card[seat] = max(view.card[seat], 120 // fewest + (80 * fewest) // max(1, left))
    view.spare[seat] = spare


@kernel
def _kept_suit(rules, public, view, seat, unseen, low, left):
    """Ask for cards of the suits of which the seat lacks the fewest, and of which it may keep a card."""
    fewest = NO_LIMIT
    spare = 0
    for suit in range(rules.suits):
        cards = rules.suit_mask[suit]
        if _may_keep(public, seat, cards):
            fewest = min(fewest, lacking(public, seat, cards, low, count(unseen & cards) - 1))
    if fewest == 0 or fewest == NO_LIMIT:
        return
    for suit in range(rules.suits):
        cards = rules.suit_mask[suit]
        # One of them is kept.
        there = count(unseen & cards) - 1
        if lacking(public, seat, cards, low, there) == fewest and _may_keep(public, seat, cards):
            view.wanted[seat] |= cards & unseen
            spare += there - fewest
    view.trick[seat] += 30
    view.card[seat] = max(view.card[seat], _urgency(fewest, left))
    view.spare[seat] = spare


@inlined
def _may_keep(public, seat, cards):
    """Return whether a seat may still hold one of `cards` (a suit) at the end, as far as the open table tells."""
    if public.draws_left[seat] > 0:
        return True
    if public.shown[seat] != ZERO and seat != public.pyramid:
        return public.shown[seat] & cards != ZERO
    return public.voids[seat] & cards == ZERO


@kernel
def _of_many(public, view, seat, term, unseen):
    """Ask for what every (other) seat has to win."""
    low = public.low[seat, term]
    cards = public.term_cards[seat, term]
    by_cards = public.measure[seat, term] == CARDS
    missing = 0
    for other in range(public.seats):
        if other != seat or public.scope[seat, term] != OF_EACH_OTHER:
            missing += max(0, low - (count(public.won[other] & cards) if by_cards else public.tricks_won[other]))
    there = count(cards & unseen) if by_cards else public.tricks - public.trick
    for other in range(public.seats):
        if other == seat and public.scope[seat, term] == OF_EACH_OTHER:
            continue
        if not by_cards and public.tricks_won[other] < low:
            view.trick[other] += _urgency(missing, there)
        elif by_cards and count(public.won[other] & cards) < low:
            view.wanted[other] |= cards & unseen
            view.card[other] = max(view.card[other], _urgency(missing, there))
            view.spare[other] = there - missing


@kernel
def find_needs(rules, public, view):
    """Write every seat's needs between two tricks into the record `view` (dtype VIEW)."""
    unseen = goals.unplayed(rules, public)
    for seat in range(public.seats):
        view.trick[seat] = 0
        view.wanted[seat] = ZERO
        view.card[seat] = 0
        view.spare[seat] = 0
        view.urgent[seat] = ZERO
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
                _of_many(public, view, seat, term, unseen)
            elif measure == TRICKS:
                if compare == ABSOLUTE:
                    view.trick[seat] += _trick_points(public.tricks_won[seat], low, high, left)
                else:
                    _compared_points(public, view, seat, compare, left)
            elif measure == STREAK:
                view.trick[seat] += _streak_points(public, seat, left, high)
            elif measure == LATE_TRICKS:
                late = public.tricks - public.window[seat, term]
                if public.trick >= late and public.counter[seat, term] < low:
                    view.trick[seat] += 100 + 200 // max(1, public.tricks - public.trick)
                elif public.trick == late - 1:
                    # Who wins this one leads the next.
                    view.trick[seat] += 40
            elif measure == CARDS and compare == ABSOLUTE:
                have = goals.cards_won(public, seat, cards)
                if have >= high:
                    view.hated[seat] |= cards & unseen
                elif have < low:
                    there = count(cards & unseen)
                    view.wanted[seat] |= cards & unseen
                    view.card[seat] = max(view.card[seat], 60 + (200 * (low - have)) // max(1, there))
                    view.spare[seat] = there - (low - have)
            elif measure == CARDS and compare == MOST:
                _most_cards(public, view, seat, cards, unseen, public.ties[seat, term])
            elif measure == DISTINCT_RANKS and compare == ABSOLUTE:
                _ranks(rules, public, view, seat, cards, unseen, low, left)
            elif measure == SAME_RANK and compare == ABSOLUTE:
                _same_rank(rules, public, view, seat, cards, unseen, low, left)
            elif measure == CARDS or measure == DISTINCT_RANKS or measure == SAME_RANK or measure == RUN:
                if compare != BETWEEN:
                    view.wanted[seat] |= cards & unseen
                    view.card[seat] = max(view.card[seat], 25 if compare != FEWEST else -40)
                    view.spare[seat] = NO_LIMIT
            elif measure == KEPT_SUIT:
                _kept_suit(rules, public, view, seat, unseen, low, left)
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
