"""Everything between the deal and the first lead: characters, lost card, threats, exchanges, gifts.

Order of choice: the holder card's holder takes the character bound to it, or chooses first when there is none; then
clockwise. Order of actions: clockwise from the holder's left, the holder last; without a bound character the holder acts
first (assumption A13). Sources: rule book, "setup", "exchange", "no Frodo" [seed]; assumptions A12 to A14, A21.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, kernel, lowest
from sim.core.random import pick
from sim.tricks import pyramid
from sim.tricks.policies import dispatch
from sim.tricks.rules import CARDS, DRAW_THREAT, EXCHANGE, GIVE_EACH, NO_LIMIT, TAKE_LOST
from sim.tricks.table import (
    LOG_CHOSE,
    LOG_DECLINED,
    LOG_EXCHANGE,
    LOG_EXCHANGER,
    LOG_EXTRA,
    LOG_GAVE,
    LOG_NO_EXCHANGE,
    LOG_START,
    LOG_THREAT,
    LOG_TOOK,
    NOBODY,
    note,
)

WHY_SOLO = 1
WHY_NO_PARTNER = 2


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
def choose_characters(rules, public, privates, policy, choices, log):
    """Let every seat take a character, clockwise from the holder."""
    seats = rules.seats
    taken = ZERO
    for step in range(seats):
        seat = (public.holder + step) % seats
        if step == 0 and rules.bearer >= 0:
            options = bit(rules.bearer)
            role = rules.bearer
        else:
            options = selectable(rules, taken, seats - 1 - step)
            if count(options) == 1:
                role = lowest(options)
            else:
                mine = privates[public.controller[seat]]
                role = dispatch.choose_character(policy, rules, public, mine, seat, options, choices)
        taken |= bit(role)
        public.character[seat] = role
        note(log, LOG_CHOSE, seat, np.uint64(role), options, ZERO)


@kernel
def learn(privates, seats, seat, card, others):
    """Note that a card is known to lie with `seat`; `others` is the mask of seats whose people know."""
    for person in range(seats):
        for owner in range(seats):
            privates[person].known[owner] &= ~card
        if others & bit(person):
            privates[person].known[seat] |= card


@kernel
def receive(rules, public, privates, hidden, seat, card, slot):
    """Add a card to a hand; `slot` is where a pyramid lays it (-1: beside)."""
    privates[seat].hand |= card
    public.cards_left[seat] += 1
    if seat == public.pyramid:
        pyramid.place(hidden, lowest(card), slot)
        public.shown[seat] |= card
    elif rules.solo:
        public.shown[seat] |= card


@kernel
def give_away(rules, public, privates, hidden, seat, card):
    """Take a card out of a hand; returns the pyramid's slot it lay in, or -1."""
    privates[seat].hand &= ~card
    public.cards_left[seat] -= 1
    public.shown[seat] &= ~card
    if seat == public.pyramid:
        return pyramid.remove(rules, hidden, lowest(card))
    return NOBODY


@kernel
def passable(rules, public, privates, hidden, seat):
    """Return the cards that a seat may pass in setup: its hand, or a pyramid's bottom row, less what its character keeps."""
    cards = privates[seat].hand
    if seat == public.pyramid:
        cards = pyramid.exchangeable(rules, hidden)
    return cards & ~rules.keeps[public.character[seat]]


@kernel
def partners(rules, public, seat, action):
    """Return the mask of seats whose characters an exchange action of `seat` may address."""
    found = ZERO
    for other in range(rules.seats):
        if other != seat and rules.partners[public.character[seat], action] & bit(public.character[other]):
            found |= bit(other)
    return found


@kernel
def exchange(rules, public, privates, hidden, seat, partner, policy, choices, log, eligible):
    """One card from `seat` to `partner` and one, maybe the same, back."""
    mine = privates[public.controller[seat]]
    offered = passable(rules, public, privates, hidden, seat)
    given = dispatch.choose_given(policy, rules, public, mine, seat, offered, partner, choices)
    given_card = bit(given)
    seat_slot = give_away(rules, public, privates, hidden, seat, given_card)

    # The receiver looks at the card before choosing; a pyramid's receiver lays it where the returned card lay.
    offered = passable(rules, public, privates, hidden, partner) | given_card
    theirs = privates[public.controller[partner]]
    returned = dispatch.choose_returned(policy, rules, public, theirs, partner, offered, seat, given, choices)
    returned_card = bit(returned)
    if returned != given:
        partner_slot = give_away(rules, public, privates, hidden, partner, returned_card)
        receive(rules, public, privates, hidden, partner, given_card, partner_slot)
    receive(rules, public, privates, hidden, seat, returned_card, seat_slot)

    if returned != given:
        between = bit(public.controller[seat]) | bit(public.controller[partner])
        if public.pyramid == seat or public.pyramid == partner:
            between = (ONE << np.uint64(rules.seats)) - ONE
        learn(privates, rules.seats, partner, given_card, between & ~bit(partner))
        learn(privates, rules.seats, seat, returned_card, between & ~bit(seat))
    else:
        learn(privates, rules.seats, seat, given_card, bit(public.controller[partner]) & ~bit(seat))
    note(log, LOG_EXCHANGE, seat, np.uint64(partner), given_card, returned_card)
    if log.shape[0]:
        log[np.int64(log[0, 0]), 5] = eligible


@kernel
def draw_threat(rules, public, hidden, seat, action, luck, log):
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
        value = pick(luck, hidden.threats_left)
    hidden.threats_left &= ~bit(value)
    public.threat[seat] = value
    note(log, LOG_THREAT, seat, np.uint64(value), rejected, ZERO)


@kernel
def take_lost(rules, public, privates, hidden, seat, policy, choices, log):
    """Take the lost cards into the hand; as many cards stay unplayed at the end."""
    if public.lost == ZERO:
        return
    if rules.take_optional:
        mine = privates[public.controller[seat]]
        if not dispatch.choose_take(policy, rules, public, mine, seat, choices):
            note(log, LOG_DECLINED, seat, public.lost, ZERO, ZERO)
            return
    note(log, LOG_TOOK, seat, public.lost, ZERO, ZERO)
    everybody = (ONE << np.uint64(rules.seats)) - ONE
    while public.lost != ZERO:
        card = bit(lowest(public.lost))
        public.lost &= ~card
        receive(rules, public, privates, hidden, seat, card, NOBODY)
        learn(privates, rules.seats, seat, card, everybody & ~bit(seat))
        public.retained[seat] += 1


@kernel
def give_each(rules, public, privates, hidden, seat, policy, choices, log):
    """Give one card to each other seat, clockwise; nothing comes back."""
    mine = privates[public.controller[seat]]
    for step in range(1, rules.seats):
        other = (seat + step) % rules.seats
        offered = passable(rules, public, privates, hidden, seat)
        card = bit(dispatch.choose_given(policy, rules, public, mine, seat, offered, other, choices))
        give_away(rules, public, privates, hidden, seat, card)
        receive(rules, public, privates, hidden, other, card, NOBODY)
        seen = bit(public.controller[seat]) | bit(public.controller[other])
        if public.pyramid == seat:
            seen = (ONE << np.uint64(rules.seats)) - ONE
        learn(privates, rules.seats, other, card, seen & ~bit(other))
        note(log, LOG_GAVE, seat, np.uint64(other), card, ZERO)


@kernel
def choose_exchanger(rules, public, privates, hidden, policy, choices, log):
    """Solo: settle which one character may exchange in this round [seed]."""
    options = ZERO
    for seat in range(rules.seats):
        role = public.character[seat]
        for action in range(rules.actions[role]):
            if rules.action[role, action] == EXCHANGE and partners(rules, public, seat, action) != ZERO:
                options |= bit(seat)
    if options != ZERO:
        mine = privates[public.controller[public.holder]]
        hidden.exchanger = dispatch.choose_exchanger(policy, rules, public, mine, options, choices)
        note(log, LOG_EXCHANGER, hidden.exchanger, options, ZERO, ZERO)


@kernel
def act(rules, public, privates, hidden, seat, policy, choices, luck, log):
    """Perform a seat's setup actions in their order."""
    role = public.character[seat]
    for action in range(rules.actions[role]):
        kind = rules.action[role, action]
        if kind == TAKE_LOST:
            take_lost(rules, public, privates, hidden, seat, policy, choices, log)
        elif kind == DRAW_THREAT:
            draw_threat(rules, public, hidden, seat, action, luck, log)
        elif kind == GIVE_EACH:
            give_each(rules, public, privates, hidden, seat, policy, choices, log)
        elif kind == EXCHANGE:
            eligible = partners(rules, public, seat, action)
            if eligible == ZERO or passable(rules, public, privates, hidden, seat) == ZERO:
                note(log, LOG_NO_EXCHANGE, seat, np.uint64(WHY_NO_PARTNER), ZERO, ZERO)
            elif rules.solo and seat != hidden.exchanger:
                note(log, LOG_NO_EXCHANGE, seat, np.uint64(WHY_SOLO), ZERO, ZERO)
            else:
                partner = lowest(eligible)
                if count(eligible) > 1:
                    mine = privates[public.controller[seat]]
                    partner = dispatch.choose_partner(policy, rules, public, mine, seat, eligible, choices)
                exchange(rules, public, privates, hidden, seat, partner, policy, choices, log, eligible)


@kernel
def extra_cards(rules, public, privates, hidden, log):
    """Solo: hands that get more cards before setup, from the top of the draw deck [seed]."""
    for seat in range(rules.seats):
        role = public.character[seat]
        cards = ZERO
        for _ in range(rules.solo_extra[role]):
            card = bit(hidden.order[hidden.next_draw])
            hidden.next_draw += 1
            receive(rules, public, privates, hidden, seat, card, NOBODY)
            cards |= card
        if cards != ZERO:
            note(log, LOG_EXTRA, seat, cards, ZERO, ZERO)


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
        public.tricks = max(public.tricks, public.plays_left[seat])


@kernel
def bind_goals(rules, public):
    """Write every seat's goal with its threat filled in, and whose won cards count for whom."""
    for seat in range(rules.seats):
        role = public.character[seat]
        threat = public.threat[seat]
        public.terms[seat] = rules.terms[role]
        for term in range(rules.terms[role]):
            cards = rules.term_cards[role, term]
            if rules.by_threat[role, term]:
                cards &= rules.rank_mask[threat]
            public.measure[seat, term] = rules.measure[role, term]
            public.term_cards[seat, term] = cards
            low = rules.low[role, term] + rules.low_threat[role, term] * threat
            high = rules.high[role, term] + rules.high_threat[role, term] * threat
            public.low[seat, term] = max(low, -NO_LIMIT)
            public.high[seat, term] = min(high, NO_LIMIT)
            public.window[seat, term] = rules.window[role, term]
            public.compare[seat, term] = rules.compare[role, term]
            public.ties[seat, term] = rules.ties[role, term]
            public.scope[seat, term] = rules.scope[role, term]
            if rules.measure[role, term] == CARDS:
                for other in range(rules.seats):
                    lender = public.character[other]
                    if other != seat and rules.lends[lender] != ZERO and rules.lends_to[lender] == role:
                        public.lender[seat] = other
                        public.lent[seat] = rules.lends[lender]


@kernel
def first_leader(rules, public):
    """Return the seat that leads the first trick: whose character says so (the bound one only when no other does), else the holder."""
    leader = public.holder
    for seat in range(rules.seats):
        role = public.character[seat]
        if rules.leads_first[role] and role != rules.bearer:
            leader = seat
    return leader


@kernel
def setup(rules, public, privates, hidden, policy, choices, luck, log):
    """Take a dealt table to the first lead."""
    choose_characters(rules, public, privates, policy, choices, log)
    if rules.solo:
        extra_cards(rules, public, privates, hidden, log)
        choose_exchanger(rules, public, privates, hidden, policy, choices, log)
    first = public.holder
    if rules.bearer >= 0 or not rules.holder_first:
        first += 1
    for step in range(rules.seats):
        act(rules, public, privates, hidden, (first + step) % rules.seats, policy, choices, luck, log)
    if rules.pyramid:
        # Gifts can empty slots of the bottom row: what they covered can be played from the first trick on.
        pyramid.uncover(rules, public, hidden)
    count_plays(rules, public, hidden)
    bind_goals(rules, public)
    public.leader = first_leader(rules, public)
    public.opening_leader = public.leader
    note(log, LOG_START, public.leader, ZERO, ZERO, ZERO)
