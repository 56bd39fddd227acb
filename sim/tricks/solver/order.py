"""Which trick to try first: points for everything that a trick does to the goals that are open.

Nothing here can make a verdict wrong, only late. Unlike a policy's estimate (`sim.tricks.needs`) these points know every
hand, so that a trick's winner and cards are certain; what is left to judge is what the round needs afterwards. The
constants were found by hill climbing on the nodes spent on 1 800 deals of chapters 1 to 4 and hold on others.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ZERO, bit, count, highest, inlined, kernel
from sim.tricks import goals
from sim.tricks.rules import (
    ABSOLUTE,
    BETWEEN,
    CARDS,
    DISTINCT_RANKS,
    FEWEST,
    KEPT_SUIT,
    LAST_CARD,
    LATE_TRICKS,
    LEADS,
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
from sim.tricks.table import MET, NOBODY

FATAL = 100_000
"""A trick that loses a goal, as far as its points can tell."""
_LATE = 200
_ALL_NEED = 80
_NEED = 58
_NEED_SHARE = 57
_ENOUGH = -91
_FEWEST = -1600
_MOST = 100
_CARD = 9
_CARD_SHARE = 59
_COLLECTED = 45
_OF_RANK = 90
_HIGH_FIRST = 3
_SHY = 7
_RESERVE = -8
_RESERVE_RANK = 6
_KEEP_LAST = -206
_DECLARING = -120
_TAKEN = 214
"""What a wanted card costs when another seat takes it, in 256ths of what it would have brought."""


@kernel
def _between(public, seat):
    """Return the points of one more trick for a seat that must have neither the fewest nor the most."""
    won = public.tricks_won[seat]
    least = NO_LIMIT
    most = 0
    for other in range(public.seats):
        if other != seat:
            least = min(least, public.tricks_won[other])
            most = max(most, public.tricks_won[other])
    if won < least or (won == least and won < most):
        return 60
    return -80 if won >= most else 0


@kernel
def _room(public, hidden, seat):
    """Return how many tricks a seat may still win."""
    room = public.plays_left[seat]
    if hidden.verdict[seat] == MET:
        return room
    for term in range(public.terms[seat]):
        measure = public.measure[seat, term]
        if public.scope[seat, term] != OF_SELF or (measure != TRICKS and measure != STREAK):
            continue
        if public.compare[seat, term] == ABSOLUTE:
            room = min(room, public.high[seat, term] - public.tricks_won[seat])
        elif public.compare[seat, term] == FEWEST:
            least = NO_LIMIT
            for other in range(public.seats):
                if other != seat:
                    least = min(least, public.tricks_won[other])
            room = min(room, max(0, least - public.tricks_won[seat]))
    return room


@kernel
def _suit_to_keep(rules, public, privates, seat, unseen):
    """Return the cards of the suit of which a seat that keeps a card of it can best win enough."""
    best = ZERO
    most = -1
    for suit in range(rules.suits):
        cards = rules.suit_mask[suit]
        if privates.hand[seat] & cards:
            value = 4 * count(public.won[seat] & cards) + count(unseen & cards)
            if value > most:
                most = value
                best = cards
    return best


@kernel
def _of_ranks(rules, public, seat, measure, low, cards, unseen):
    """Return (cards, how many) that a goal on ranks still asks for, on the ways on which it has come furthest."""
    won = public.won[seat] & cards
    unseen &= cards
    missing = ZERO
    if measure == DISTINCT_RANKS:
        for rank in range(RANKS):
            if won & rules.rank_mask[rank]:
                low -= 1
            else:
                missing |= unseen & rules.rank_mask[rank]
        return missing, low
    most = -1
    length = low if measure == RUN else 1
    for first in range(RANKS - length + 1):
        have = 0
        there = ZERO
        possible = True
        for rank in range(first, first + length):
            here = rules.rank_mask[rank]
            if measure == RUN and won & here:
                have += 1
            elif measure == RUN and not unseen & here:
                possible = False
            else:
                have += count(won & here)
                there |= unseen & here
        if measure == SAME_RANK and have + count(there) < low:
            possible = False
        if possible and have >= most:
            missing = there if have > most else missing | there
            most = have
    return missing, low - max(most, 0)


@kernel
def _weigh_goal(rules, public, privates, work, seat, unseen):
    """Add the points of one seat's goal."""
    left = max(1, public.plays_left[seat])
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
                    work.trick[other] += _ALL_NEED
                elif measure == CARDS and count(public.won[other] & cards) < low:
                    work.wanted[other] |= cards & unseen
                    work.card[other] = max(work.card[other], _ALL_NEED)
        elif measure == TRICKS and compare == ABSOLUTE:
            work.need[seat] = max(work.need[seat], low - public.tricks_won[seat])
        elif measure == TRICKS and compare == BETWEEN:
            work.trick[seat] += _between(public, seat)
        elif measure == TRICKS:
            work.trick[seat] += _FEWEST if compare == FEWEST else _MOST
        elif measure == STREAK:
            # Begun late or never broken.
            if public.tricks_won[seat] == 0:
                work.trick[seat] += 20 if left > high + 1 else 200
            else:
                work.trick[seat] += 400 if public.last_winner == seat else -FATAL
        elif measure == LATE_TRICKS:
            if public.trick >= public.tricks - public.window[seat, term] and public.counter[seat, term] < low:
                work.trick[seat] += _LATE
        elif measure == LAST_CARD:
            work.keep[seat] |= cards
        elif measure == TRICKS_WITH:
            if public.counter[seat, term] < low:
                work.inside[seat] |= cards
                work.inside_value[seat] = _NEED + (_NEED_SHARE * (low - public.counter[seat, term])) // left
        elif measure == TRICKS_WITHOUT:
            if public.counter[seat, term] >= high:
                work.inside[seat] |= cards
                work.outside_value[seat] = -FATAL
        elif measure == KEPT_SUIT:
            work.trick[seat] += 40
            suit_cards = _suit_to_keep(rules, public, privates, seat, unseen)
            work.wanted[seat] |= suit_cards & unseen
            work.card[seat] = max(work.card[seat], _COLLECTED)
            work.keep[seat] |= suit_cards
        elif measure == DISTINCT_RANKS or measure == SAME_RANK or measure == RUN:
            missing, need = _of_ranks(rules, public, seat, measure, low, cards, unseen)
            work.wanted[seat] |= missing
            work.card[seat] = max(work.card[seat], _OF_RANK)
            # Another card of the rank will do.
            work.loss[seat] = (_COLLECTED * need) // max(1, count(missing))
        elif measure != LEADS and compare != BETWEEN:
            counted = measure == CARDS and compare == ABSOLUTE
            have = goals.cards_won(public, seat, cards)
            if counted and have >= high:
                work.hated[seat] |= cards & unseen
            elif compare == FEWEST:
                work.wanted[seat] |= cards & unseen
                work.card[seat] = -_CARD_SHARE
            elif not counted or have < low:
                there = count(cards & unseen)
                need = low - have if counted else 1
                work.wanted[seat] |= cards & unseen
                work.card[seat] = max(work.card[seat], _CARD + (_CARD_SHARE * need) // max(1, there))
                if counted:
                    work.spare[seat] = min(work.spare[seat], there - need)
    lender = public.lender[seat]
    if lender != NOBODY and work.card[seat] > 0:
        work.wanted[lender] |= work.wanted[seat] & public.lent[seat]
        work.card[lender] = max(work.card[lender], work.card[seat])


@kernel
def weigh(rules, public, privates, hidden, work):
    """Write the points of a position into the record `work`.

    trick: by seat, for winning the trick; wanted, card: cards whose winning brings `card` points each; loss: what each costs
    that another seat wins; spare: how many of them may go to others; hated: cards that lose the goal; inside, inside_value,
    outside_value: points of a trick with or without one of the mask; shed: by slot, points for playing that card now.
    """
    unseen = goals.unplayed(rules, public)
    for seat in range(public.seats):
        work.trick[seat] = 0
        work.wanted[seat] = ZERO
        work.card[seat] = 0
        work.loss[seat] = -NO_LIMIT
        work.spare[seat] = NO_LIMIT
        work.hated[seat] = ZERO
        work.inside[seat] = ZERO
        work.inside_value[seat] = 0
        work.outside_value[seat] = 0
        work.keep[seat] = ZERO
        work.need[seat] = 0
    for seat in range(public.seats):
        if hidden.verdict[seat] != MET:
            _weigh_goal(rules, public, privates, work, seat, unseen)
    for seat in range(public.seats):
        if work.loss[seat] == -NO_LIMIT:
            work.loss[seat] = work.card[seat]
    for seat in range(public.seats):
        left = public.plays_left[seat]
        if left == 0:
            continue
        # High cards go first, so that low ones are there when others have to win; most of all with those who may win little.
        # But as many high ones as a seat still needs are kept.
        slope = _HIGH_FIRST
        room = _room(public, hidden, seat)
        if room <= 0:
            work.trick[seat] -= FATAL
        elif work.need[seat] > 0:
            work.trick[seat] += _NEED + (_NEED_SHARE * work.need[seat]) // left
        elif room < left:
            work.trick[seat] += _ENOUGH
        if room < left:
            slope = (_SHY * (left - room)) // left
        hand = privates.hand[seat]
        kept = count(hand & work.keep[seat])
        reserved = 0
        while hand != ZERO:
            slot = highest(hand)
            hand &= ~bit(slot)
            rank = rules.rank_of[slot]
            value = slope * rank
            if slope > 0 and rank >= _RESERVE_RANK and reserved < work.need[seat]:
                value = _RESERVE * rank
                reserved += 1
            if work.keep[seat] & bit(slot):
                value += _KEEP_LAST // kept
            if rules.declaring & bit(slot):
                value += _DECLARING
            work.shed[slot] = value


@inlined
def points(public, work, winner, cards):
    """Return the points of a trick of `cards` (mask) that `winner` (-1: nobody) wins, but for what the seats have left."""
    total = np.int64(0)
    shared = ZERO
    if winner != NOBODY:
        total = work.trick[winner] + work.card[winner] * count(cards & work.wanted[winner])
        shared = work.wanted[winner]
        if cards & work.hated[winner]:
            total -= FATAL
        if work.inside[winner] != ZERO:
            total += work.inside_value[winner] if cards & work.inside[winner] else work.outside_value[winner]
    for seat in range(public.seats):
        if seat != winner and cards & work.wanted[seat]:
            taken = count(cards & work.wanted[seat] & ~shared)
            if taken > work.spare[seat]:
                total -= FATAL
            else:
                total -= (work.loss[seat] * taken * _TAKEN) >> 8
    return total
