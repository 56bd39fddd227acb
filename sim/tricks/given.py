"""Dealing under a condition: what its record says outright, then tests, and a new deal until all pass.

The n-th deal that is tried takes its random numbers from streams of its own, number stream + 256 * (n - 1); where nothing is
dealt outright, the first is the deal of deal format 1, so that a deal which fits anyway stays what it was. What is dealt outright
comes from one stream: 64 bits choose the shape; then, place by place (seats, lost cards, pile, draw deck), the cards of each
class that it names are drawn; then all other hands by seat, and the rest. What a policy draws goes on where it stood.

Why the distribution is right: the shape is drawn with its probability (`shapes`, to within 2 ** -64), its cards uniformly among
all deals of the shape, so that a tried deal is one of those that fit the first part of the condition, each with the probability
that it has among them; everything in it is independent of what was tried before. To try again until the second part holds, on
the deal or after setup, is rejection, which keeps the proportions among what it accepts.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, THIRTY_TWO, ZERO, at_address, bit, count, far, inlined, kernel
from sim.core.random import (
    STREAM_CAST,
    STREAM_DEAL,
    STREAM_EVENTS,
    STREAM_GIVEN,
    STREAM_LOST,
    STREAM_PILE,
    STREAM_THREATS,
    draw32,
    pick,
    start,
)
from sim.tricks.asked import (
    AND,
    CONDITION,
    DECK,
    LEADER_ROLE,
    LEADER_SEAT,
    LEADER_STEP,
    LOST,
    OR,
    PILE,
    PLACE_DECK,
    PLACE_LOST,
    PLACE_PILE,
    ROLE,
    ROLES,
    SEAT,
    SEAT_ROLE,
    SLOTS,
    STEP,
    STEP_ROLE,
    THREAT,
)
from sim.tricks.deal import cast_roles, deal_hands, hand_out, lose_cards, open_table, set_pile_aside, shuffle_reveals
from sim.tricks.decisions import DEALING
from sim.tricks.rules import FAR_GIVEN
from sim.tricks.table import NOBODY, at_left

TRY = np.uint64(8)
"""Streams of one try: 2 ** 8."""
condition_at = at_address(CONDITION)


@kernel
def deal_once(rules, public, privates, hidden, luck, seed_low, seed_high, round_number, deal_number, shift):
    """Deal a round (deal format 1) from streams moved by `shift`; `luck` then stands at the threats' stream."""
    start(luck, seed_low, seed_high, STREAM_LOST + shift, round_number, deal_number)
    lose_cards(rules, public, privates, hidden, luck)
    if rules.pile:
        start(luck, seed_low, seed_high, STREAM_PILE + shift, round_number, deal_number)
        set_pile_aside(rules, public, hidden, luck)
    start(luck, seed_low, seed_high, STREAM_DEAL + shift, round_number, deal_number)
    deal_hands(rules, public, privates, hidden, luck)
    finish_deal(rules, public, hidden, luck, seed_low, seed_high, round_number, deal_number, shift)


@kernel
def finish_deal(rules, public, hidden, luck, seed_low, seed_high, round_number, deal_number, shift):
    """Shuffle and deal what lies beside the hands; `luck` then stands at the threats' stream."""
    if rules.reveal_test:
        start(luck, seed_low, seed_high, STREAM_EVENTS + shift, round_number, deal_number)
        shuffle_reveals(rules, hidden, 0, luck)
    if rules.cast:
        start(luck, seed_low, seed_high, STREAM_CAST + shift, round_number, deal_number)
        cast_roles(rules, public, luck)
    if rules.steps:
        hidden.stage = DEALING
    start(luck, seed_low, seed_high, STREAM_THREATS + shift, round_number, deal_number)


@kernel
def place_in_order(rules, seat, index, solo_holder):
    """Return where in the shuffle the card number `index` (from 0) that a seat is dealt stands."""
    if rules.steps:
        people = rules.seats
        base = 0
        if rules.pyramid:
            if seat == rules.seats - 1:
                return index
            people -= 1
            base = rules.hand
        before = 0
        for step in range(rules.steps + 1):
            size = rules.step_cards[step] if step < rules.steps else rules.hand - before
            if index < before + size:
                return base + people * before + seat * size + index - before
            before += size
    shorter = 1 if solo_holder != NOBODY and seat > solo_holder else 0
    return seat * rules.hand - shorter + index


@kernel
def holder_apart(rules, public):
    """Return the seat that was given one person's holder card before the shuffle, or NOBODY."""
    return public.holder if rules.solo and rules.holder_card != ZERO else NOBODY


@kernel
def dealt_hand(rules, public, hidden, seat):
    """Return the cards that a seat was dealt (mask), at any time of the round."""
    apart = holder_apart(rules, public)
    cards = rules.holder_card if seat == apart else ZERO
    for index in range(rules.hand - (1 if seat == apart else 0)):
        cards |= bit(hidden.order[place_in_order(rules, seat, index, apart)])
    return cards


@kernel
def deal_shape(rules, asked, public, privates, hidden, luck):
    """Clear the table and deal a shape of the condition, drawn by `luck` with its probability."""
    open_table(rules, public, privates, hidden)
    word = draw32(luck)
    word |= draw32(luck) << THIRTY_TWO
    low = 0
    high = asked.rows - 1
    while low < high:
        middle = (low + high) // 2
        if word < asked.upto[middle]:
            high = middle
        else:
            low = middle + 1
    row = low
    holder = np.int64(asked.holder[row])
    named = np.uint64(asked.named[row])
    rest = rules.deck
    if holder >= 0:
        rest &= ~rules.holder_card
    undealt = ZERO
    for place in range(PLACE_DECK + 1):
        if named & bit(place) == ZERO:
            continue
        cards = ZERO
        for group in range(asked.classes):
            pool = asked.cards[group]
            for _ in range(np.int64(asked.counts[row, place, group])):
                card = bit(pick(luck, pool & rest))
                rest &= ~card
                cards |= card
        if place == PLACE_LOST:
            public.lost = cards
            public.first_lost = cards
        elif place == PLACE_PILE:
            hidden.pile = cards
        elif place == PLACE_DECK:
            undealt = cards
        else:
            privates.hand[place] = cards
    pile = hidden.pile
    for index in range(rules.pile):
        slot = pick(luck, pile)
        pile &= ~bit(slot)
        hidden.pile_order[index] = slot
    public.pile = rules.pile
    apart = holder if rules.solo and rules.holder_card != ZERO else NOBODY
    total = 0
    for seat in range(rules.seats):
        if named & bit(seat) == ZERO:
            size = rules.hand - (1 if seat == holder else 0)
            for _ in range(size):
                card = bit(pick(luck, rest))
                rest &= ~card
                privates.hand[seat] |= card
        cards = privates.hand[seat]
        if seat == holder and seat != apart:
            cards |= rules.holder_card
        for index in range(rules.hand - (1 if seat == apart else 0)):
            slot = pick(luck, cards)
            cards &= ~bit(slot)
            hidden.order[place_in_order(rules, seat, index, apart)] = slot
            total += 1
        privates.hand[seat] = rules.holder_card if seat == apart else ZERO
    undealt |= rest
    while undealt != ZERO:
        slot = pick(luck, undealt)
        undealt &= ~bit(slot)
        hidden.order[total] = slot
        total += 1
    hand_out(rules, public, privates, hidden, total, apart)


@kernel
def seat_with(public, role):
    """Return the seat of a character, or NOBODY."""
    for seat in range(public.seats):
        if public.character[seat] == role:
            return seat
    return NOBODY


@kernel
def bits_of(rules, asked, public, privates, hidden, test):
    """Return what a test counts in, as a mask (see `where`); 0 for a character that is not in the round."""
    source = asked.source[test]
    index = asked.index[test]
    if source == SEAT:
        return dealt_hand(rules, public, hidden, index)
    if source == STEP:
        return dealt_hand(rules, public, hidden, at_left(public.holder, index, rules.seats))
    if source == LOST:
        return public.first_lost
    if source == PILE:
        cards = ZERO
        for place in range(rules.pile):
            cards |= bit(hidden.pile_order[place])
        return cards
    if source == DECK:
        cards = ZERO
        for place in range(rules.seats * rules.hand - (1 if holder_apart(rules, public) != NOBODY else 0), hidden.draw_end):
            cards |= bit(hidden.order[place])
        return cards
    if source == SLOTS:
        cards = ZERO
        for slot in range(rules.pyramid):
            if asked.slots[test] & bit(slot) != ZERO:
                cards |= bit(hidden.order[place_in_order(rules, rules.seats - 1, slot, NOBODY)])
        return cards
    if source == ROLES:
        roles = ZERO
        for seat in range(rules.seats):
            roles |= bit(public.character[seat])
        return roles
    if source == SEAT_ROLE:
        return bit(public.character[index])
    if source == STEP_ROLE:
        return bit(public.character[at_left(public.holder, index, rules.seats)])
    if source == LEADER_SEAT:
        return bit(public.opening_leader)
    if source == LEADER_STEP:
        steps = public.opening_leader - public.holder
        return bit(steps if steps >= 0 else steps + rules.seats)
    if source == LEADER_ROLE:
        return bit(public.character[public.opening_leader])
    seat = seat_with(public, index)
    if seat == NOBODY:
        return ZERO
    if source == ROLE:
        return dealt_hand(rules, public, hidden, seat)
    return bit(privates.threat[seat]) if source == THREAT and privates.threat[seat] > 0 else ZERO


@kernel
def passes(rules, asked, public, privates, hidden, test):
    """Return 1 when a test holds, else 0. Of a character that is not in the round nothing holds."""
    source = asked.source[test]
    if (source == ROLE or source == THREAT) and seat_with(public, asked.index[test]) == NOBODY:
        return 0
    found = count(bits_of(rules, asked, public, privates, hidden, test) & asked.mask[test])
    return 1 if asked.low[test] <= found <= asked.high[test] else 0


@kernel
def fits(rules, asked, public, privates, hidden, moment):
    """Return whether the deal (moment 0) or the round after setup (1) is as the condition wants it."""
    if asked.words[moment] == 0:
        return True
    # A stack of truths, the lowest bit on top.
    stack = ZERO
    for place in range(asked.words[moment]):
        word = asked.word[moment, place]
        if word >= 0:
            stack = (stack << ONE) | np.uint64(passes(rules, asked, public, privates, hidden, word))
        elif word == AND or word == OR:
            top = stack & ONE
            stack >>= ONE
            if word == AND:
                stack &= ~ONE | top
            else:
                stack |= top
        else:
            stack ^= ONE
    return stack & ONE != ZERO


@kernel
def deal_given(rules, public, privates, hidden, luck, seed_low, seed_high, round_number, deal_number):
    """Go on trying deals (hidden.tries so far) until one fits, or as many were tried as are allowed: hidden.tries is 0 then."""
    asked = condition_at(rules.condition)
    while True:
        shift = np.uint64(hidden.tries) << TRY
        hidden.tries += 1
        if asked.rows > 0:
            start(luck, seed_low, seed_high, STREAM_GIVEN + shift, round_number, deal_number)
            deal_shape(rules, asked, public, privates, hidden, luck)
            finish_deal(rules, public, hidden, luck, seed_low, seed_high, round_number, deal_number, shift)
        else:
            deal_once(rules, public, privates, hidden, luck, seed_low, seed_high, round_number, deal_number, shift)
        if fits(rules, asked, public, privates, hidden, 0):
            return 0
        if hidden.tries >= asked.tries:
            hidden.tries = 0
            return 0


@inlined
def may_try_again(rules, hidden):
    """Return whether another deal may be tried in place of one that does not fit after setup."""
    return hidden.tries < condition_at(rules.condition).tries


@kernel
def fits_after_setup(rules, public, privates, hidden):
    """Return whether a round that is about to begin is as its condition wants it."""
    return fits(rules, condition_at(rules.condition), public, privates, hidden, 1)


far(FAR_GIVEN, deal_given)
