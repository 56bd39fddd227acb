"""What happens between and around tricks in rounds with an event or an ability for it; plain rounds never come here.

Cards are turned up for a trick and compared with it; a card lies tucked, set aside, or ready for the first trick; somebody
plays face down or names the leader. Sources: the events' and characters' files; assumptions A3, A6, A16, A19, A20.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ZERO, bit, count, far, inlined, kernel, lowest
from sim.tricks import play, pyramid, setup
from sim.tricks.decisions import FETCH, FREED, GIVEN, LEADER, NOT_NOW, RETURNED, UNTUCK, YES_OR_NO, ask
from sim.tricks.rules import FACE_DOWN, FAR_TEST, NO_TEST, TEST_SUM, TEST_WINNER
from sim.tricks.table import (
    LOG_EVENT_FAILED,
    LOG_LONGEST,
    LOG_REVEAL,
    LOG_UNTUCKED,
    NOBODY,
    at_left,
    note,
)

# Steps between two tricks (hidden.between).
RESERVE_DUE = 0
UNTUCK_DUE = 1
FETCH_DUE = 2
FREE_DUE = 3
LEADER_DUE = 4
REVEAL_DUE = 5
AHEAD_DUE = 6
DONE = 7


@kernel
def start(rules, public, privates, hidden, log):
    """Settle before the first trick what the round's roles and event need."""
    for seat in range(rules.seats):
        role = public.character[seat]
        if role == rules.free_role:
            public.free = seat
        if role == rules.face_down:
            public.blind = seat
        if role == rules.fetcher and seat != public.pyramid:
            public.fetcher = seat
        if role == rules.announcer and seat != public.pyramid:
            announce(rules, public, privates, seat, log)
    public.may_lapse = rules.reveal_test == TEST_WINNER


@kernel
def announce(rules, public, privates, seat, log):
    """Name the suits of which a seat holds most cards: all of them, when several are as long."""
    most = 0
    for suit in range(rules.suits):
        most = max(most, count(privates.hand[seat] & rules.suit_mask[suit]))
    public.longest_of = seat
    for suit in range(rules.suits):
        if count(privates.hand[seat] & rules.suit_mask[suit]) == most:
            public.longest |= rules.suit_mask[suit]
    note(log, LOG_LONGEST, seat, public.longest, ZERO, ZERO)


@kernel
def turn_up(rules, public, hidden, log):
    """Turn up the cards for the trick."""
    total = 0
    size = rules.reveal_cards
    for _ in range(rules.reveal_each):
        place = hidden.reveal_next
        hidden.reveal_next += 1
        card = np.int64(hidden.reveal_order[place])
        if place - (place // size) * size == 0:
            public.revealed_out = ZERO
        public.revealed_out |= bit(card)
        total += rules.reveal_rank[card]
        note(log, LOG_REVEAL, card, ZERO, ZERO, ZERO)
    public.revealed = total


@kernel
def untuck(rules, public, privates, hidden, log):
    """Return the tucked card to the hand."""
    seat = public.tucked
    card = bit(privates.tucked)
    note(log, LOG_UNTUCKED, seat, card, ZERO, ZERO)
    setup.receive(rules, public, privates, hidden, seat, card, NOBODY)
    if seat == public.pyramid:
        pyramid.uncover(rules, public, hidden)
    if public.under == ZERO:
        # It may be of a suit that the seat has shown not to hold.
        public.voids[seat] = ZERO
    elif seat != public.pyramid:
        for suit in range(rules.suits):
            if rules.suit_mask[suit] & card:
                public.voids[seat] &= ~rules.suit_mask[suit]
        for person in range(rules.seats):
            if person != seat:
                privates.known[person, seat] |= card
    public.tucked = NOBODY
    public.under = ZERO
    privates.tucked = NOBODY


@kernel
def play_ahead(rules, public, hidden):
    """Lay the card that was chosen for the first trick; by A3 it sets the suit, though another seat leads."""
    seat = public.ahead_by
    slot = lowest(public.ahead)
    if rules.ahead_leads:
        public.led_suit = rules.suit_of[slot]
    public.in_trick |= public.ahead
    public.trick_card[seat] = slot
    public.last_card[seat] = slot
    public.plays_left[seat] -= 1
    if public.ahead & rules.locked:
        public.unlocked = 1
    if hidden.ahead_wins:
        public.declared = seat
    public.ahead = ZERO


@inlined
def may_fetch(public):
    """Return whether a gift may still swap for the lost card, or with the seat that took it, in this round."""
    there = public.lost != ZERO or public.taker != NOBODY
    return public.fetches > 0 and public.fetcher != NOBODY and there and public.trick < public.tricks


@kernel
def fetch(rules, public, privates, hidden):
    """Before a trick, go on with the gift that swaps for the lost card; returns whether there is something to decide."""
    seat = public.fetcher
    hand = setup.passable(rules, public, privates, hidden, seat) if seat != NOBODY else ZERO
    if hidden.fetching == 0:
        options = ZERO
        if may_fetch(public) and hand != ZERO:
            if public.lost != ZERO:
                options = bit(seat)
            elif public.taker != seat and public.taker != public.pyramid and public.cards_left[public.taker] > 0:
                options = bit(public.taker)
        if options == ZERO:
            return False
        ask(hidden, FETCH, seat, options | bit(NOT_NOW))
    elif hidden.fetching == 1:
        ask(hidden, GIVEN, seat, hand)
    else:
        offered = setup.passable(rules, public, privates, hidden, hidden.partner) | bit(hidden.given)
        ask(hidden, RETURNED, hidden.partner, offered)
    return True


@kernel
def between(rules, public, privates, hidden, log):
    """Do what is due before the next trick, up to a decision; returns 1 when there is one, else 0."""
    while hidden.between < DONE:
        due = hidden.between
        hidden.between += 1
        if due == RESERVE_DUE:
            seat = public.reserved_by
            # The last trick is the last that its seat plays in: hands may be uneven.
            if seat != NOBODY and public.reserved != ZERO and public.plays_left[seat] == 1:
                setup.receive(rules, public, privates, hidden, seat, public.reserved, NOBODY)
                public.shown[seat] |= public.reserved
                if seat == public.pyramid:
                    pyramid.uncover(rules, public, hidden)
                public.reserved = ZERO
        elif due == UNTUCK_DUE and public.tucked != NOBODY:
            if public.cards_left[public.tucked] == 0:
                untuck(rules, public, privates, hidden, log)
            else:
                ask(hidden, UNTUCK, public.tucked, YES_OR_NO)
                return 1
        elif due == FETCH_DUE and (hidden.fetching or public.fetches > 0):
            if fetch(rules, public, privates, hidden):
                return 1
        elif due == FREE_DUE and rules.first_free >= 0:
            if public.trick == 1 and public.free != NOBODY and public.character[public.free] == rules.first_free:
                public.free = NOBODY
            if public.trick == 0 and public.frees > 0:
                for seat in range(rules.seats):
                    if public.character[seat] == rules.first_free and public.plays_left[seat] > 0:
                        ask(hidden, FREED, seat, YES_OR_NO)
                        return 1
        elif due == LEADER_DUE and rules.leader_namers and public.trick > 0 and public.leader == public.last_winner:
            if rules.leader_namers & bit(public.character[public.leader]):
                options = ZERO
                for seat in range(rules.seats):
                    if public.plays_left[seat] > 0:
                        options |= bit(seat)
                ask(hidden, LEADER, public.leader, options)
                return 1
        elif due == REVEAL_DUE and rules.reveal_test and not rules.reveal_after:
            turn_up(rules, public, hidden, log)
        elif due == AHEAD_DUE and public.ahead != ZERO:
            play_ahead(rules, public, hidden)
    return 0


@kernel
def lay_face_down(rules, public, privates, hidden, seat, slot):
    """Play a card face down; its suit is named (A19: only by the leader)."""
    card = bit(slot)
    privates.hand[seat] &= ~card
    hidden.blind_card = slot
    suit = rules.suit_of[slot]
    if public.led_suit == NOBODY:
        public.led_suit = suit
        public.blind_suit = suit
    elif rules.suit_named:
        public.blind_suit = suit
        if suit != public.led_suit and public.draws_left[seat] == 0:
            public.voids[seat] |= rules.suit_mask[public.led_suit]
    public.trick_card[seat] = FACE_DOWN
    public.shown[seat] &= ~card
    public.cards_left[seat] -= 1
    public.plays_left[seat] -= 1


@kernel
def turn_over(rules, public, hidden):
    """Show the card that was played face down."""
    seat = public.blind
    card = bit(hidden.blind_card)
    public.trick_card[seat] = hidden.blind_card
    public.last_card[seat] = hidden.blind_card
    public.in_trick |= card
    if seat == public.leader:
        public.led[seat] |= card
    elif not card & rules.suit_mask[public.led_suit] and public.draws_left[seat] == 0:
        public.voids[seat] |= rules.suit_mask[public.led_suit]
    hidden.blind_card = NOBODY
    public.blind_suit = NOBODY


@kernel
def test_trick(rules, public, hidden, log):
    """Return who wins a finished trick once a face-down card is shown and the cards turned up were compared (-1: nobody)."""
    if hidden.blind_card != NOBODY:
        turn_over(rules, public, hidden)
    winner = play.winner(rules, public)
    if rules.reveal_test == NO_TEST:
        return winner
    if rules.reveal_after:
        turn_up(rules, public, hidden, log)
    if rules.reveal_test == TEST_SUM:
        total = 0
        for seat in range(rules.seats):
            if public.trick_card[seat] != NOBODY:
                total += rules.rank_of[public.trick_card[seat]]
        if total < public.revealed and public.event_failed == 0:
            public.event_failed = public.trick + 1
            note(log, LOG_EVENT_FAILED, 0, np.uint64(public.trick + 1), ZERO, ZERO)
    elif public.declared == NOBODY and rules.rank_of[public.trick_card[winner]] < public.revealed:
        winner = np.int64(NOBODY)
    public.revealed = 0
    return winner


far(FAR_TEST, test_trick)


@kernel
def lapse(rules, public):
    """Return who leads after a trick that nobody won (A16)."""
    public.last_winner = NOBODY
    return at_left(public.leader, 1, rules.seats) if rules.lost_trick_left else public.leader


@kernel
def tell(rules, public, privates, person):
    """Write the goals that are hidden from some as one person sees them (-1: as nobody's own)."""
    for seat in range(public.seats):
        if public.secret & bit(seat):
            threat = public.threat[seat]
            way = public.way[seat]
            if public.controller[seat] == person:
                way = privates.way[seat]
                if not public.untold & bit(seat):
                    threat = privates.threat[seat]
            setup.bind_goal(rules, public, seat, threat, way)


@kernel
def tell_all(rules, public, privates):
    """Turn up the hidden threats at the end of the round."""
    for seat in range(public.seats):
        public.threat[seat] = privates.threat[seat]
        public.way[seat] = privates.way[seat]
        if public.secret & bit(seat):
            setup.bind_goal(rules, public, seat, public.threat[seat], public.way[seat])
    public.secret = ZERO
