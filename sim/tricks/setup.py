"""What happens in setup, mechanism by mechanism; who decides what and when is the engine's business.

Sources: rule book, "setup", "exchange", "no Frodo" [seed]; assumptions A12 to A14, A21.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, inlined, kernel, lowest
from sim.core.random import pick
from sim.tricks import pyramid
from sim.tricks.rules import (
    CARDS,
    EXCHANGE,
    EXCHANGE_EACH,
    LATE_TRICKS,
    NO_LIMIT,
    SWAP_LOST,
    TAKE_LOST,
    TERMS,
    TRICKS_WITH,
    TRICKS_WITHOUT,
)
from sim.tricks.table import LOG_EXTRA, LOG_GAVE, LOG_THREAT, LOG_TOOK, NOBODY, note


@kernel
def selectable(rules, taken, seats_after):
    """Return the roster mask that the next seat may choose from.

    A character may be chosen when the `seats_after` seats still to choose can cover all required ones left [seed]; under
    `required_first` (solo, A21) a required one must be chosen while there is one.
    """
    free = ((ONE << np.uint64(rules.roster)) - ONE) & ~taken
    if rules.bearer >= 0:
        free &= ~bit(rules.bearer)
    required = free & rules.required
    if required != ZERO and (count(required) > seats_after or (rules.solo and rules.required_first)):
        return required
    return free


@kernel
def may_take(rules, public, taken, step):
    """Return the roster mask that the seat which chooses as number `step` (from 0, clockwise from the holder) may choose from.

    The holder card's holder takes the bound character; one that is not bound only it may take. Some characters are not for
    the pyramid, and then enough must be left for it.
    """
    after = rules.seats - 1 - step
    if step == 0 and rules.bearer >= 0 and rules.bound:
        return bit(rules.bearer)
    options = selectable(rules, taken, after)
    if step == 0 and rules.bearer >= 0 and count(rules.required & ~bit(rules.bearer)) <= after:
        options |= bit(rules.bearer)
    if rules.not_pyramid == ZERO or public.pyramid == NOBODY:
        return options
    turn = public.pyramid - public.holder
    if turn < 0:
        turn += rules.seats
    if step == turn:
        return options & ~rules.not_pyramid
    if step > turn:
        return options
    found = ZERO
    rest = options
    while rest != ZERO:
        role = bit(lowest(rest))
        rest &= rest - ONE
        missing = rules.required & ~taken & ~role
        left = selectable(rules, taken | role, after - 1) & ~rules.not_pyramid
        if count(missing & rules.not_pyramid) <= after - 1 and left != ZERO:
            found |= role
    return found


@inlined
def everybody(rules):
    """Return the mask of all seats."""
    return (ONE << np.uint64(rules.seats)) - ONE


@kernel
def learn(rules, public, privates, giver, seat, card, seen_by):
    """Keep account of who knows a card that `giver` passes to `seat`; `seen_by` is the mask of seats whose persons see it.

    Whoever does not see the card can no longer be sure of any card of the giver that it might have passed.
    """
    for person in range(rules.seats):
        if person == giver:
            # What lies in one's own hand is no matter of this account.
            privates.known[person, giver] = ZERO
        elif seen_by & bit(person):
            privates.known[person, giver] &= ~card
        else:
            privates.known[person, giver] &= rules.keeps[public.character[giver]]
        if seen_by & bit(person) and person != seat:
            privates.known[person, seat] |= card


@kernel
def receive(rules, public, privates, hidden, seat, card, slot):
    """Add a card to a hand; `slot` is where a pyramid lays it (-1: beside)."""
    privates.hand[seat] |= card
    public.cards_left[seat] += 1
    if seat == public.pyramid:
        pyramid.place(hidden, lowest(card), slot)
        public.shown[seat] |= card
    elif rules.solo or public.open_hands & bit(seat):
        public.shown[seat] |= card


@kernel
def give_away(rules, public, privates, hidden, seat, card):
    """Take a card out of a hand; returns the pyramid's slot it lay in, or -1."""
    privates.hand[seat] &= ~card
    public.cards_left[seat] -= 1
    public.shown[seat] &= ~card
    if seat == public.pyramid:
        return pyramid.remove(rules, hidden, lowest(card))
    return NOBODY


@kernel
def passable(rules, public, privates, hidden, seat):
    """Return the cards that a seat may pass in setup: its hand, or a pyramid's bottom row, less what its character keeps."""
    cards = privates.hand[seat]
    if seat == public.pyramid:
        cards = pyramid.exchangeable(rules, hidden)
    return cards & ~rules.keeps[public.character[seat]]


@kernel
def partners(rules, public, seat, action):
    """Return the mask of seats whose characters an exchange action of `seat` may address."""
    found = ZERO
    for other in range(rules.seats):
        if other != seat and rules.partners[public.character[seat], action] & bit(public.character[other]):
            if not (rules.curse_parts > 0 and (public.cursed == seat or public.cursed == other)):
                found |= bit(other)
    return found


@kernel
def return_card(rules, public, privates, hidden, seat, partner, given, seat_slot, returned):
    """Complete an exchange: `partner` keeps the card `given` by `seat` and passes `returned`, or passes it back.

    A pyramid lays a received card where the passed one lay: `seat_slot` is the slot that the given card left.
    """
    given_card = bit(given)
    returned_card = bit(returned)
    seen_by = bit(public.controller[seat]) | bit(public.controller[partner])
    if public.pyramid == seat or public.pyramid == partner:
        seen_by = everybody(rules)
    learn(rules, public, privates, seat, partner, given_card, seen_by)
    if returned != given:
        partner_slot = give_away(rules, public, privates, hidden, partner, returned_card)
        receive(rules, public, privates, hidden, partner, given_card, partner_slot)
    learn(rules, public, privates, partner, seat, returned_card, seen_by)
    receive(rules, public, privates, hidden, seat, returned_card, seat_slot)


@inlined
def hides_threat(rules, public, seat):
    """Return whether the others do not see a seat's threat."""
    return rules.secret_roles & bit(public.character[seat]) != ZERO or (rules.curse_hides > 0 and public.cursed == seat)


@kernel
def set_threat(rules, public, privates, seat, value, chosen):
    """Give a seat its threat, which the others may not see (A20: nor the seat itself, unless it was chosen)."""
    privates.threat[seat] = value
    if hides_threat(rules, public, seat):
        public.secret |= bit(seat)
        public.threat[seat] = 0
        if rules.from_owner and not chosen:
            public.untold |= bit(seat)
    else:
        public.threat[seat] = value


@kernel
def draw_threat(rules, public, privates, hidden, seat, action, luck, log):
    """Draw a threat; one whose lost card the goal needs is rejected and drawn again (A14: out of the round or back)."""
    void = ZERO
    lost = public.lost & rules.redraw_suits[public.character[seat], action]
    while lost != ZERO:
        void |= bit(rules.rank_of[lowest(lost)])
        lost &= lost - ONE
    rejected = ZERO
    value = pick(luck, hidden.threats_left)
    while bit(value) & void and hidden.threats_left & ~void:
        rejected |= bit(value)
        if not rules.rejected_back:
            hidden.threats_left &= ~bit(value)
            hidden.threats_out |= bit(value)
        value = pick(luck, hidden.threats_left)
    hidden.threats_left &= ~bit(value)
    hidden.drawn |= bit(value)
    set_threat(rules, public, privates, seat, value, False)
    note(log, LOG_THREAT, seat, np.uint64(value), rejected, ZERO)


@kernel
def take_lost(rules, public, privates, hidden, seat, log):
    """Take the lost cards into the hand; as many cards stay unplayed at the end."""
    note(log, LOG_TOOK, seat, public.lost, ZERO, ZERO)
    while public.lost != ZERO:
        card = bit(lowest(public.lost))
        public.lost &= ~card
        receive(rules, public, privates, hidden, seat, card, NOBODY)
        for person in range(rules.seats):
            if person != seat:
                privates.known[person, seat] |= card
        public.retained[seat] += 1
    public.taker = seat


@kernel
def give(rules, public, privates, hidden, seat, other, slot, log):
    """Give a card to another seat; nothing comes back."""
    card = bit(slot)
    seen_by = bit(public.controller[seat]) | bit(public.controller[other])
    if public.pyramid == seat or public.pyramid == other:
        seen_by = everybody(rules)
    give_away(rules, public, privates, hidden, seat, card)
    learn(rules, public, privates, seat, other, card, seen_by)
    receive(rules, public, privates, hidden, other, card, NOBODY)
    note(log, LOG_GAVE, seat, np.uint64(other), card, ZERO)


@kernel
def exchangers(rules, public):
    """Return the seats that have an exchange with a partner in this round, as a mask."""
    found = ZERO
    for seat in range(rules.seats):
        role = public.character[seat]
        for action in range(rules.actions[role]):
            kind = rules.action[role, action]
            exchange = kind == EXCHANGE or kind == EXCHANGE_EACH or kind == SWAP_LOST
            swap = kind == SWAP_LOST and public.lost != ZERO
            if exchange and (swap or partners(rules, public, seat, action) != ZERO):
                found |= bit(seat)
    return found


@inlined
def may_touch(rules, public, seat):
    """Return whether a seat may take the lost card, or swap for it, as far as the group's choice goes."""
    return not rules.take_by_group or public.claimant == seat


@kernel
def claimants(rules, public, hidden):
    """Return the seats whose characters may touch the lost card in setup, as a mask (one person: a swap is an exchange)."""
    found = ZERO
    for seat in range(rules.seats):
        role = public.character[seat]
        for action in range(rules.actions[role]):
            kind = rules.action[role, action]
            if kind == TAKE_LOST or (kind == SWAP_LOST and (not rules.solo or hidden.exchanger == seat)):
                found |= bit(seat)
    return found if public.lost != ZERO else ZERO


@kernel
def curse_options(rules, public):
    """Return the seats that may get the wandering curse in this round, as a mask."""
    found = ZERO
    for seat in range(rules.seats):
        if rules.bearers & bit(public.character[seat]):
            found |= bit(seat)
    return found


@kernel
def extra_cards(rules, public, privates, hidden, log):
    """Solo: hands that get more cards before setup, from the top of the draw deck [seed]."""
    for seat in range(rules.seats):
        role = public.character[seat]
        for _ in range(rules.solo_extra[role]):
            card = bit(hidden.order[hidden.next_draw])
            hidden.next_draw += 1
            receive(rules, public, privates, hidden, seat, card, NOBODY)
            note(log, LOG_EXTRA, seat, card, ZERO, ZERO)


@kernel
def count_plays(rules, public, hidden):
    """Settle how many tricks each seat plays in and how long the round is."""
    drawing = 0
    for seat in range(rules.seats):
        drawing += rules.solo_refill[public.character[seat]]
    to_draw = hidden.draw_end - hidden.next_draw
    turn = 0
    public.tricks = 0
    for seat in range(rules.seats):
        if rules.solo and rules.solo_refill[public.character[seat]]:
            public.draws_left[seat] = to_draw // drawing + (1 if turn < to_draw % drawing else 0)
            turn += 1
        public.plays_left[seat] = public.cards_left[seat] + public.draws_left[seat] - public.retained[seat]
        if rules.between:
            # Cards that lie outside the hand for a while are played too.
            for holder in (public.tucked, public.reserved_by, public.ahead_by):
                if holder == seat:
                    public.plays_left[seat] += 1
        public.tricks = max(public.tricks, public.plays_left[seat])
    public.uneven = 0
    for seat in range(rules.seats):
        if public.plays_left[seat] != public.tricks:
            public.uneven = 1


@inlined
def counts_here(rules, public, role, term):
    """Return whether a term counts in this round, by who is in it."""
    if rules.term_beside[role, term] == ZERO and rules.term_unless[role, term] == ZERO:
        return True
    there = ZERO
    for seat in range(rules.seats):
        there |= bit(public.character[seat])
    beside = rules.term_beside[role, term]
    return (beside == ZERO or there & beside != ZERO) and there & rules.term_unless[role, term] == ZERO


@kernel
def bind_goal(rules, public, seat, threat, way):
    """Write a seat's goal with its threat filled in, and whose won cards count for it.

    Terms for another declaration than `way` are left out, and those that depend on a threat that is not told.
    """
    own = public.character[seat]
    told = threat > 0 or not public.secret & bit(seat)
    size = 0
    cursed = rules.curse_terms if public.cursed == seat else 0
    for index in range(rules.terms[own] + cursed):
        # What a wandering curse asks comes after the goal.
        role = own if index < rules.terms[own] else rules.curse_row
        term = index if index < rules.terms[own] else index - rules.terms[own]
        if not counts_here(rules, public, role, term):
            continue
        measure = rules.measure[role, term]
        by_threat = rules.by_threat[role, term] or rules.low_threat[role, term] or rules.high_threat[role, term]
        if (by_threat and not told) or (rules.term_way[role, term] > 0 and rules.term_way[role, term] != way):
            continue
        cards = rules.term_cards[role, term]
        if rules.by_threat[role, term]:
            cards &= rules.rank_mask[threat]
        if measure == TRICKS_WITH or measure == TRICKS_WITHOUT or measure == LATE_TRICKS:
            public.counting = 1
        public.measure[seat, size] = measure
        public.term_cards[seat, size] = cards
        low = rules.low[role, term] + rules.low_threat[role, term] * threat
        high = rules.high[role, term] + rules.high_threat[role, term] * threat
        public.low[seat, size] = max(low, -NO_LIMIT)
        public.high[seat, size] = min(high, NO_LIMIT)
        public.window[seat, size] = rules.window[role, term]
        public.compare[seat, size] = rules.compare[role, term]
        public.ties[seat, size] = rules.ties[role, term]
        public.scope[seat, size] = rules.scope[role, term]
        if measure == CARDS:
            for other in range(rules.seats):
                lender = public.character[other]
                if other != seat and rules.lends[lender] != ZERO and rules.lends_to[lender] == own:
                    public.lender[seat] = other
                    public.lent[seat] = rules.lends[lender]
        size += 1
    public.terms[seat] = size
    if public.secret & bit(seat):
        # Nothing is left of a term that was written for another person.
        for term in range(size, TERMS):
            public.measure[seat, term] = 0
            public.term_cards[seat, term] = ZERO
            public.low[seat, term] = 0
            public.high[seat, term] = 0
            public.compare[seat, term] = 0
            public.scope[seat, term] = 0


@kernel
def bind_goals(rules, public):
    """Write every seat's goal as all see it."""
    public.counting = 0
    for seat in range(rules.seats):
        bind_goal(rules, public, seat, public.threat[seat], public.way[seat])


@kernel
def first_leader(rules, public):
    """Return the seat that leads first: whose character says so (the bound one only when no other does), else the holder."""
    leader = public.first
    for seat in range(rules.seats):
        role = public.character[seat]
        if rules.leads_first[role] and role != rules.bearer:
            leader = seat
    return leader
