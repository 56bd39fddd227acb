"""Tricks on the table: laying cards, ending a trick, sealing goals."""

from __future__ import annotations

import numpy as np

from sim.core.jit import ZERO, bit, call_far, inlined, kernel
from sim.tricks import events, goals, play, pyramid
from sim.tricks.rules import FAR_TEST, TEST_SUM
from sim.tricks.setup import bind_goal, receive
from sim.tricks.table import FAILED, LOG_DRAW, LOG_TRICK, MET, NOBODY, OPEN, note


@inlined
def own_cards(rules, public, hand, seat):
    """Return the cards that a seat may still come to play, its hand being known: the hand and what it may yet draw."""
    own = hand
    if public.draws_left[seat] > 0:
        own |= goals.unplayed(rules, public)
        for other in range(public.seats):
            if other != seat:
                own &= ~public.shown[other]
    return own


@kernel
def cards_aside(public, privates, seat):
    """Return the cards of a seat that lie outside its hand for a while and will be played."""
    cards = ZERO
    if public.tucked == seat:
        cards |= bit(privates.tucked)
    if public.reserved_by == seat:
        cards |= public.reserved
    if public.ahead_by == seat:
        cards |= public.ahead
    return cards


@kernel
def before_verdict(rules, public, privates, seat, own):
    """In a round that is not plain: let a hidden goal be judged; returns `own` with the cards that lie aside or may come."""
    if public.unsure & bit(seat):
        own |= goals.unplayed(rules, public)
    if public.secret & bit(seat):
        bind_goal(rules, public, seat, privates.threat[seat], privates.way[seat])
    return own | cards_aside(public, privates, seat)


@kernel
def after_verdict(rules, public, seat, verdict):
    """In a round that is not plain: hide a hidden goal again, and return the verdict as the event leaves it."""
    if public.secret & bit(seat):
        bind_goal(rules, public, seat, public.threat[seat], public.way[seat])
        if verdict == MET:
            # Its person says when the goal is complete [seed].
            public.announced |= bit(seat)
    if rules.reveal_test == TEST_SUM:
        # Each further trick may fail everybody.
        if public.event_failed > 0:
            return FAILED
        if verdict == MET and public.trick < public.tricks:
            return OPEN
    return verdict


@kernel
def judge(rules, public, privates, hidden):
    """Seal every open goal that can no longer fail, or no longer be met, and count both in hidden.failed and hidden.met."""
    failed = 0
    met = 0
    lost = public.lost
    if not rules.plain and events.may_fetch(public):
        # The lost card may come into play yet.
        public.lost = ZERO
        public.unsure = bit(public.fetcher) | (bit(public.taker) if public.taker != NOBODY else ZERO)
    for seat in range(public.seats):
        if hidden.verdict[seat] == OPEN:
            own = own_cards(rules, public, privates.hand[seat], seat)
            if not rules.plain:
                own = before_verdict(rules, public, privates, seat, own)
            verdict = goals.verdict(rules, public, seat, own)
            if not rules.plain:
                verdict = after_verdict(rules, public, seat, verdict)
            if verdict == FAILED:
                hidden.verdict[seat] = FAILED
                hidden.lost_after[seat] = public.trick
            elif verdict == MET:
                hidden.verdict[seat] = MET
                hidden.met_after[seat] = public.trick
        if hidden.verdict[seat] == FAILED:
            failed += 1
        elif hidden.verdict[seat] == MET:
            met += 1
    public.lost = lost
    public.unsure = ZERO
    hidden.failed = failed
    hidden.met = met


@inlined
def begin_trick(public):
    """Clear the table for the next trick."""
    public.led_suit = NOBODY
    public.in_trick = ZERO
    public.declared = NOBODY
    for seat in range(public.seats):
        public.trick_card[seat] = NOBODY


@inlined
def lay(rules, public, privates, hidden, seat, slot):
    """Play a card from a seat's hand to the trick."""
    privates.hand[seat] &= ~bit(slot)
    if seat == public.pyramid:
        pyramid.remove(rules, hidden, slot)
        public.uncovered &= ~bit(slot)
    play.put(rules, public, seat, slot)


@kernel
def end_trick(rules, public, privates, hidden, log):
    """Give the trick to its winner, refill hands (solo), uncover cards (pyramid) and pass the lead."""
    if rules.between:
        seat = call_far(rules.far[FAR_TEST], (rules, public, hidden, log))
    else:
        seat = play.winner(rules, public)
    note(log, LOG_TRICK, seat + 1, np.uint64(public.leader), ZERO, ZERO)
    if seat != NOBODY:
        if public.counting:
            goals.count_trick(rules, public, seat)
        public.won[seat] |= public.in_trick
        if public.tricks_won[seat] > 0 and public.last_winner != seat:
            public.streak_broken[seat] = 1
        public.tricks_won[seat] += 1
        public.last_winner = seat
    else:
        seat = events.lapse(rules, public)
    if public.longest_of != NOBODY and public.trick_card[public.longest_of] != NOBODY:
        public.longest_played |= bit(public.trick_card[public.longest_of])
    public.played |= public.in_trick
    if public.in_trick & rules.locked:
        public.unlocked = 1
    for other in range(public.seats):
        if public.trick_card[other] == NOBODY:
            public.last_card[other] = NOBODY
    public.trick += 1
    if rules.solo:
        for other in range(public.seats):
            if public.draws_left[other] > 0:
                card = bit(hidden.order[hidden.next_draw])
                hidden.next_draw += 1
                public.draws_left[other] -= 1
                receive(rules, public, privates, hidden, other, card, NOBODY)
                note(log, LOG_DRAW, other, card, ZERO, ZERO)
    if public.pyramid != NOBODY:
        pyramid.uncover(rules, public, hidden)
    begin_trick(public)
    public.leader = play.next_leader(rules, public, seat)
