"""From a seed and a deal number to hands (deal format 1).

Lost cards come first, each drawn uniformly from the deck cards that may be lost, by their own stream. The rest, in slot
order, is shuffled by the deal stream (Fisher-Yates from the end: position i swaps with a uniform position 0..i) and dealt
in blocks: seat 0's hand, seat 1's, ... With one player the holder card is set aside, given to a uniformly drawn seat
(first number of the deal stream) whose block is one card shorter, and what is left is the draw deck. A pyramid's block
fills its slots from the bottom row's left. Rule: rule book, "setup" and the solo and two-player pages [seed].

What events add has streams of its own: the pile comes after the lost cards, uniformly drawn card by card; the deck that is
turned up for tricks is shuffled (Fisher-Yates from the end) as often as a round can need it; characters are dealt by a
shuffle of the roster, required ones kept. Where cards are dealt in steps, the pyramid's block comes first, then each step's
blocks by seat.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, kernel, lowest
from sim.core.random import below, pick
from sim.tricks.pyramid import open_pyramid
from sim.tricks.rules import REVEALS
from sim.tricks.table import NOBODY, clear


@kernel
def open_table(rules, public, privates, hidden):
    """Clear the table for a new deal."""
    clear(public, privates, hidden)
    public.seats = rules.seats
    hidden.threats_left = rules.threats


@kernel
def lose_cards(rules, public, privates, hidden, luck):
    """Clear the table and turn up the lost cards, by the stream of lost cards."""
    open_table(rules, public, privates, hidden)
    rest = rules.deck
    if rules.solo:
        rest &= ~rules.holder_card
    for _ in range(rules.lost):
        card = bit(pick(luck, rest & ~rules.never_lost))
        public.lost |= card
        rest &= ~card
    public.first_lost = public.lost


@kernel
def deal_hands(rules, public, privates, hidden, luck):
    """Shuffle what is not lost and fill hands, draw deck and pyramid, by the stream of the deal."""
    seats = rules.seats
    rest = rules.deck & ~public.lost & ~hidden.pile
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
    hand_out(rules, public, privates, hidden, total, solo_holder)


@kernel
def hand_out(rules, public, privates, hidden, total, solo_holder):
    """Fill hands, draw deck and pyramid from `total` cards in order; solo_holder: who has the holder card already, or NOBODY."""
    seats = rules.seats
    order = hidden.order
    position = 0
    if rules.steps:
        hidden.draw_end = total
        public.holder = NOBODY
        if rules.pyramid:
            deal_block(rules, public, privates, hidden, seats - 1, rules.hand)
            open_pyramid(rules, public, hidden)
        return
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


@kernel
def deal_block(rules, public, privates, hidden, seat, size):
    """Deal a seat its next `size` cards from the shuffled deck."""
    for _ in range(size):
        slot = hidden.order[hidden.next_draw]
        hidden.next_draw += 1
        privates.hand[seat] |= bit(slot)
        if rules.pyramid and seat == rules.seats - 1:
            hidden.slot_card[public.cards_left[seat]] = slot
        public.cards_left[seat] += 1


@kernel
def deal_step(rules, public, privates, hidden):
    """Deal the next step, or all that is left after the last one; then it is known who holds the holder card."""
    step = hidden.step_dealt
    hidden.step_dealt += 1
    for seat in range(rules.seats):
        if seat != public.pyramid:
            left = rules.hand - public.cards_left[seat]
            deal_block(rules, public, privates, hidden, seat, rules.step_cards[step] if step < rules.steps else left)
    if step == rules.steps:
        public.holder = 0
        for seat in range(rules.seats):
            # A lost holder card leaves its token with the character it would have bound.
            if public.character[seat] == rules.bearer:
                public.holder = seat
        for seat in range(rules.seats):
            if privates.hand[seat] & rules.holder_card != ZERO:
                public.holder = seat
        if rules.pyramid:
            open_pyramid(rules, public, hidden)


@kernel
def set_pile_aside(rules, public, hidden, luck):
    """Set cards aside face down, in the order in which they are taken, by the stream of the pile."""
    rest = rules.deck & ~public.lost & ~rules.pile_not
    if rules.solo:
        rest &= ~rules.holder_card
    for index in range(rules.pile):
        slot = pick(luck, rest)
        rest &= ~bit(slot)
        hidden.pile_order[index] = slot
        hidden.pile |= bit(slot)
    public.pile = rules.pile


@kernel
def shuffle_reveals(rules, hidden, first, luck):
    """Shuffle the deck that is turned up for tricks, as often as it takes, from place `first` on (the start of a shuffle)."""
    size = rules.reveal_cards
    while first + size <= REVEALS:
        for i in range(size):
            hidden.reveal_order[first + i] = i
        for i in range(size - 1, 0, -1):
            j = below(luck, i + 1)
            card = hidden.reveal_order[first + j]
            hidden.reveal_order[first + j] = hidden.reveal_order[first + i]
            hidden.reveal_order[first + i] = card
        first += size


@kernel
def cast_roles(rules, public, luck):
    """Deal the characters: all required ones and chance ones besides, to seats in any order (solo: the bound one to its card)."""
    taken = ZERO
    seats = rules.seats
    if rules.bearer >= 0 and rules.bound:
        public.character[public.holder] = rules.bearer
        taken = bit(rules.bearer)
    everyone = (ONE << np.uint64(rules.roster)) - ONE
    chosen = taken | rules.required
    while count(chosen) < seats:
        chosen |= bit(pick(luck, everyone & ~chosen))
    left = chosen & ~taken
    for seat in range(seats):
        if public.character[seat] == NOBODY:
            role = pick(luck, left)
            left &= ~bit(role)
            public.character[seat] = role
