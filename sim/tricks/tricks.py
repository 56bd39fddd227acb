"""Tricks on the table: laying cards, ending a trick, sealing goals."""

from __future__ import annotations

import numpy as np

from sim.core.jit import ZERO, bit, inlined, kernel
from sim.tricks import goals, play, pyramid
from sim.tricks.setup import receive
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
def judge(rules, public, privates, hidden):
    """Seal every open goal that can no longer fail, or no longer be met, and count both in hidden.failed and hidden.met."""
    failed = 0
    met = 0
    for seat in range(public.seats):
        if hidden.verdict[seat] == OPEN:
            own = own_cards(rules, public, privates.hand[seat], seat)
            verdict = goals.verdict(rules, public, seat, own)
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
    seat = play.winner(rules, public)
    note(log, LOG_TRICK, seat, np.uint64(public.leader), ZERO, ZERO)
    if public.counting:
        goals.count_trick(rules, public, seat)
    public.won[seat] |= public.in_trick
    if public.tricks_won[seat] > 0 and public.last_winner != seat:
        public.streak_broken[seat] = 1
    public.tricks_won[seat] += 1
    public.last_winner = seat
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
