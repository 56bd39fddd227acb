"""Which trick to try first: points for everything that a trick does to the goals that are open.

Nothing here can make a verdict wrong, only late. Unlike a policy's estimate (`sim.tricks.needs`) these points know every
hand, so that a trick's winner and cards are certain; what is left to judge is what the round needs afterwards.
"""

from __future__ import annotations

from sim.core.jit import ONE, ZERO, bit, count, highest, inlined, kernel, lowest
from sim.tricks import goals
from sim.tricks.rules import (
    ABSOLUTE,
    BETWEEN,
    CARDS,
    FEWEST,
    KEPT_SUIT,
    LAST_CARD,
    LATE_TRICKS,
    LEADS,
    MOST,
    NO_LIMIT,
    OF_EACH_OTHER,
    OF_SELF,
    STREAK,
    TRICKS,
    TRICKS_WITH,
    TRICKS_WITHOUT,
)
from sim.tricks.table import MET, NOBODY

FATAL = 100_000


@inlined
def W(work, i):
    return work.weight[i]


@kernel
def _compared(public, work, seat, compare):
    """Return the points of one more trick for a seat whose tricks are compared with those of the others."""
    won = public.tricks_won[seat]
    least = NO_LIMIT
    most = 0
    for other in range(public.seats):
        if other != seat:
            least = min(least, public.tricks_won[other])
            most = max(most, public.tricks_won[other])
    if compare == FEWEST:
        return -W(work, 12) if won + 1 > least else -W(work, 11)
    if compare == MOST:
        return 100
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
        if public.scope[seat, term] == OF_SELF:
            measure = public.measure[seat, term]
            if (measure == TRICKS or measure == STREAK) and public.compare[seat, term] == ABSOLUTE:
                room = min(room, public.high[seat, term] - public.tricks_won[seat])
            elif measure == TRICKS and public.compare[seat, term] == FEWEST:
                least = NO_LIMIT
                for other in range(public.seats):
                    if other != seat:
                        least = min(least, public.tricks_won[other])
                room = min(room, max(0, least - public.tricks_won[seat]))
    return room


@kernel
def weigh(rules, public, privates, hidden, work):
    """Write the points of the position into the record `work`.

    trick: by seat, for winning the trick; wanted, card: cards whose winning brings `card` points each; spare: how many of
    them may go to others; hated: cards that lose the goal; inside, inside_value, outside_value: points of a trick with or
    without one of the mask; shed: by slot, points for playing that card now.
    """
    unseen = goals.unplayed(rules, public)
    for seat in range(public.seats):
        work.trick[seat] = 0
        work.wanted[seat] = ZERO
        work.card[seat] = 0
        work.spare[seat] = NO_LIMIT
        work.hated[seat] = ZERO
        work.inside[seat] = ZERO
        work.inside_value[seat] = 0
        work.outside_value[seat] = 0
        work.keep[seat] = ZERO
        work.need[seat] = 0
    for seat in range(public.seats):
        if hidden.verdict[seat] == MET:
            continue
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
                        work.trick[other] += 80
                    elif measure == CARDS and count(public.won[other] & cards) < low:
                        work.wanted[other] |= cards & unseen
                        work.card[other] = max(work.card[other], 100)
            elif measure == TRICKS and compare != ABSOLUTE:
                work.trick[seat] += _compared(public, work, seat, compare)
            elif measure == TRICKS:
                work.need[seat] = max(work.need[seat], low - public.tricks_won[seat])
            elif measure == STREAK:
                won = public.tricks_won[seat]
                if won >= high:
                    work.trick[seat] -= FATAL
                elif won == 0:
                    work.trick[seat] += 20 if left > high + 1 else 200
                else:
                    work.trick[seat] += 400 if public.last_winner == seat else -FATAL
            elif measure == LATE_TRICKS:
                if public.trick >= public.tricks - public.window[seat, term] and public.counter[seat, term] < low:
                    work.trick[seat] += 200
            elif measure == LAST_CARD:
                work.keep[seat] |= cards
            elif measure == TRICKS_WITH:
                if public.counter[seat, term] < low:
                    work.inside[seat] |= cards
                    work.inside_value[seat] = 60 + (200 * (low - public.counter[seat, term])) // left
            elif measure == TRICKS_WITHOUT:
                if public.counter[seat, term] >= high:
                    work.inside[seat] |= cards
                    work.outside_value[seat] = -FATAL
            elif measure == KEPT_SUIT:
                work.trick[seat] += 40
            elif measure != LEADS and compare != BETWEEN:
                have = goals.cards_won(public, seat, cards)
                if measure == CARDS and compare == ABSOLUTE and have >= high:
                    work.hated[seat] |= cards & unseen
                elif compare == FEWEST:
                    work.wanted[seat] |= cards & unseen
                    work.card[seat] = -60
                elif measure != CARDS or compare == MOST or have < low:
                    there = count(cards & unseen)
                    need = low - have if measure == CARDS and compare == ABSOLUTE else 1
                    work.wanted[seat] |= cards & unseen
                    work.card[seat] = max(work.card[seat], W(work, 3) + (W(work, 4) * need) // max(1, there))
                    if measure == CARDS and compare == ABSOLUTE:
                        work.spare[seat] = min(work.spare[seat], there - need)
        lender = public.lender[seat]
        if lender != NOBODY and work.card[seat] > 0:
            work.wanted[lender] |= work.wanted[seat] & public.lent[seat]
            work.card[lender] = max(work.card[lender], work.card[seat])
    # What some seats cannot win the others have to.
    left_in_all = public.tricks - public.trick
    rooms = 0
    for seat in range(public.seats):
        work.room[seat] = _room(public, hidden, seat)
        rooms += work.room[seat]
    shy = False
    for seat in range(public.seats):
        left = public.plays_left[seat]
        if left == 0:
            continue
        work.need[seat] = max(work.need[seat], (left_in_all - (rooms - work.room[seat])) * W(work, 15) // 16)
        if work.room[seat] <= 0:
            work.trick[seat] -= FATAL
        elif work.need[seat] > 0:
            work.trick[seat] += W(work, 0) + (W(work, 1) * work.need[seat]) // left
        elif work.room[seat] < left:
            work.trick[seat] -= W(work, 2)
        if work.room[seat] < left:
            shy = True
    for seat in range(public.seats):
        hand = privates.hand[seat]
        left = public.plays_left[seat]
        others = unseen & ~hand
        kept = count(hand & work.keep[seat])
        need = work.need[seat]
        # Who may not win much plays high cards as soon as that is harmless, but for those it needs; the others keep them.
        slope = -W(work, 6) if work.trick[seat] + work.card[seat] > 0 or shy else -W(work, 8)
        if work.room[seat] < left:
            slope = (W(work, 7) * (left - work.room[seat])) // left
        # From the highest card down.
        ahead = 0
        while hand != ZERO:
            slot = highest(hand)
            hand &= ~bit(slot)
            strength = rules.rank_of[slot]
            if work.weight[16] > 0:
                suit_cards = others & rules.suit_mask[rules.suit_of[slot]]
                below = count(suit_cards & (bit(slot) - ONE))
                above = count(suit_cards) - below
                strength = 8 - above
                if work.weight[16] == 2:
                    strength = 4 + below - above
                if work.weight[16] == 3 and below == 0:
                    strength = 0
            value = slope * strength
            if slope > 0 and strength >= 6 and ahead < need:
                value = -W(work, 14) * strength
                ahead += 1
            if kept > 0 and work.keep[seat] & bit(slot):
                value -= W(work, 9) // kept
            if rules.declaring & bit(slot):
                value -= W(work, 10)
            work.shed[slot] = value


@inlined
def points(public, work, winner, cards):
    """Return the points of a trick of `cards` (mask) that `winner` wins, but for what the seats have left."""
    total = work.trick[winner] + work.card[winner] * count(cards & work.wanted[winner])
    if cards & work.hated[winner]:
        total -= FATAL
    if work.inside[winner] != ZERO:
        total += work.inside_value[winner] if cards & work.inside[winner] else work.outside_value[winner]
    for seat in range(public.seats):
        if seat != winner and cards & work.wanted[seat]:
            taken = count(cards & work.wanted[seat] & ~work.wanted[winner])
            if taken > work.spare[seat]:
                total -= FATAL
            else:
                total -= (work.card[seat] * taken * W(work, 5)) >> 8
    return total
