"""From a seed and a deal number to hands (deal format 1).

Lost cards come first, each drawn uniformly from the deck cards that may be lost, by their own stream. The rest, in slot
order, is shuffled by the deal stream (Fisher-Yates from the end: position i swaps with a uniform position 0..i) and dealt
in blocks: seat 0's hand, seat 1's, ... With one player the holder card is set aside, given to a uniformly drawn seat
(first number of the deal stream) whose block is one card shorter, and what is left is the draw deck. A pyramid's block
fills its slots from the bottom row's left. Rule: rule book, "setup" and the solo and two-player pages [seed].
"""

from __future__ import annotations

from sim.core.jit import ONE, ZERO, bit, kernel, lowest
from sim.core.random import below, pick
from sim.tricks.pyramid import open_pyramid
from sim.tricks.table import NOBODY, clear


@kernel
def lose_cards(rules, public, privates, hidden, luck):
    """Clear the table and turn up the lost cards, by the stream of lost cards."""
    clear(public, privates, hidden)
    public.seats = rules.seats
    rest = rules.deck
    if rules.solo:
        rest &= ~rules.holder_card
    for _ in range(rules.lost):
        card = bit(pick(luck, rest & ~rules.never_lost))
        public.lost |= card
        rest &= ~card
    public.first_lost = public.lost
    hidden.threats_left = rules.threats


@kernel
def deal_hands(rules, public, privates, hidden, luck):
    """Shuffle what is not lost and fill hands, draw deck and pyramid, by the stream of the deal."""
    seats = rules.seats
    rest = rules.deck & ~public.lost
    if rules.solo:
        rest &= ~rules.holder_card
    order = hidden.order
    total = 0
    while rest != ZERO:
        order[total] = lowest(rest)
        rest &= rest - ONE
        total += 1
    solo_holder = NOBODY
    if rules.solo and rules.holder_card != ZERO:
        solo_holder = below(luck, seats)
        privates.hand[solo_holder] = rules.holder_card
    for i in range(total - 1, 0, -1):
        j = below(luck, i + 1)
        card_slot = order[j]
        order[j] = order[i]
        order[i] = card_slot

    position = 0
    for seat in range(seats):
        hand = privates.hand[seat]
        size = rules.hand - (1 if seat == solo_holder else 0)
        if rules.pyramid and seat == seats - 1:
            for slot in range(size):
                hidden.slot_card[slot] = order[position + slot]
        for _ in range(size):
            hand |= bit(order[position])
            position += 1
        privates.hand[seat] = hand
        public.cards_left[seat] = rules.hand
        if hand & rules.holder_card:
            public.holder = seat
        if rules.solo:
            public.shown[seat] = hand
    hidden.next_draw = position
    hidden.draw_end = total
    if rules.pyramid:
        open_pyramid(rules, public, hidden)
    if public.holder == NOBODY:
        public.holder = 0
