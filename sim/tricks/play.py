"""Legal cards and trick winners.

The leader plays any card, but a locked suit (Rings) may be led only once one of its cards was played, or when nothing else
can be led. Others follow the led suit when they can. The highest card of the led suit wins (or the highest trump), unless
the declaring card (1 of Rings) was declared. One seat may be free of all this (`public.free`). Source: rule book, "tricks",
"the Rings suit" [seed].
"""

from __future__ import annotations

from sim.core.jit import ZERO, bit, highest, inlined
from sim.tricks.table import NOBODY, at_left


@inlined
def legal(rules, public, seat, hand):
    """Return the cards that `seat` may play to the current trick, as a mask; `hand` is the seat's hand (uint64).

    A pyramid's seat plays from its uncovered cards only.
    """
    cards = hand
    if seat == public.pyramid:
        cards = public.uncovered
    if seat == public.free:
        return cards
    if public.led_suit == NOBODY:
        if not public.unlocked:
            free = cards & ~rules.locked
            if free != ZERO:
                return free
        return cards
    following = cards & rules.suit_mask[public.led_suit]
    if following != ZERO:
        return following
    return cards


@inlined
def put(rules, public, seat, slot):
    """Put a card on the table for `seat`: the trick's cards, its led suit, voids shown, cards left."""
    card = bit(slot)
    if public.led_suit == NOBODY:
        public.led_suit = rules.suit_of[slot]
        public.led[seat] |= card
    elif not card & rules.suit_mask[public.led_suit]:
        if seat != public.pyramid and public.draws_left[seat] == 0 and seat != public.free:
            public.voids[seat] |= rules.suit_mask[public.led_suit]
    public.in_trick |= card
    public.trick_card[seat] = slot
    public.last_card[seat] = slot
    public.shown[seat] &= ~card
    public.cards_left[seat] -= 1
    public.plays_left[seat] -= 1


@inlined
def strongest(rules, cards, led_cards):
    """Return the slot of the card that wins among `cards`: the highest trump, else the highest of `led_cards` (masks)."""
    trumps = cards & rules.trumps
    return highest(trumps if trumps != ZERO else cards & led_cards)


@inlined
def winner(rules, public):
    """Return the seat that wins the cards on the table."""
    if public.declared != NOBODY:
        return public.declared
    best = strongest(rules, public.in_trick, rules.suit_mask[public.led_suit])
    for seat in range(rules.seats):
        if public.trick_card[seat] == best:
            return seat
    return NOBODY


@inlined
def next_leader(rules, public, seat):
    """Return `seat`, or the next on its left that still plays in this round: an emptied hand passes the lead on [seed]."""
    for step in range(rules.seats):
        other = at_left(seat, step, rules.seats)
        if public.plays_left[other] > 0:
            return other
    return NOBODY
