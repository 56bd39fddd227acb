"""One round from deal to verdict: the scalar kernel that plays a deal without allocating."""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, kernel, lowest
from sim.core.random import STREAM_CHOICES, STREAM_DEAL, STREAM_LOST, STREAM_THREATS, start
from sim.tricks import goals, play, pyramid
from sim.tricks.deal import deal
from sim.tricks.policies import dispatch
from sim.tricks.setup import receive, setup
from sim.tricks.table import FAILED, LOG_DECLARE, LOG_DRAW, LOG_PLAY, LOG_TRICK, MET, NOBODY, OPEN, note

# Indices into the sources of one deal.
LUCK_LOST = 0
LUCK_DEAL = 1
LUCK_THREATS = 2
CHOICES = 3
SOURCES = 4


@kernel
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
    """Seal every open goal that can no longer fail, or no longer be met; returns (goals failed, goals met)."""
    failed = 0
    met = 0
    for seat in range(public.seats):
        if hidden.verdict[seat] == OPEN:
            own = own_cards(rules, public, privates[seat].hand, seat)
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
    return failed, met


@kernel
def begin_trick(public):
    """Clear the table for the next trick."""
    public.led_suit = NOBODY
    public.in_trick = ZERO
    public.declared = NOBODY
    for seat in range(public.seats):
        public.trick_card[seat] = NOBODY


@kernel
def lay(rules, public, privates, hidden, seat, slot):
    """Play a card from a seat's hand to the trick."""
    privates[seat].hand &= ~bit(slot)
    if seat == public.pyramid:
        pyramid.remove(rules, hidden, slot)
        public.uncovered &= ~bit(slot)
    play.put(rules, public, seat, slot)


@kernel
def end_trick(rules, public, privates, hidden, log):
    """Give the trick to its winner, refill hands (solo), uncover cards (pyramid) and pass the lead."""
    seat = play.winner(rules, public)
    note(log, LOG_TRICK, seat, np.uint64(public.leader), ZERO, ZERO)
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


@kernel
def play_trick(rules, public, privates, hidden, needs, policy, choices, log):
    """Play one trick by the policy's choices."""
    begin_trick(public)
    dispatch.prepare_trick(policy, rules, public, needs)
    leader = public.leader
    for step in range(public.seats):
        seat = (leader + step) % public.seats
        if public.plays_left[seat] == 0:
            continue
        options = play.legal(rules, public, seat, privates[seat].hand)
        mine = privates[public.controller[seat]]
        slot = lowest(options)
        if options & (options - ONE):
            slot = dispatch.choose_card(policy, rules, public, mine, needs, seat, options, choices)
        lay(rules, public, privates, hidden, seat, slot)
        note(log, LOG_PLAY, seat, bit(slot), options, ZERO)
        if bit(slot) == rules.declaring and not rules.declare_after:
            if dispatch.choose_declare(policy, rules, public, mine, needs, seat, choices):
                public.declared = seat
            note(log, LOG_DECLARE, seat, np.uint64(public.declared == seat), ZERO, ZERO)
    if rules.declare_after and public.in_trick & rules.declaring:
        for seat in range(public.seats):
            if public.trick_card[seat] != NOBODY and bit(public.trick_card[seat]) == rules.declaring:
                mine = privates[public.controller[seat]]
                if dispatch.choose_declare(policy, rules, public, mine, needs, seat, choices):
                    public.declared = seat
                note(log, LOG_DECLARE, seat, np.uint64(public.declared == seat), ZERO, ZERO)
    end_trick(rules, public, privates, hidden, log)


@kernel
def prepare(rules, public, privates, hidden, sources, seed_low, seed_high, round_number, deal_number):
    """Deal a round from its seed; what follows uses the sources of threats and of choices."""
    start(sources[LUCK_LOST], seed_low, seed_high, STREAM_LOST, round_number, deal_number)
    start(sources[LUCK_DEAL], seed_low, seed_high, STREAM_DEAL, round_number, deal_number)
    start(sources[LUCK_THREATS], seed_low, seed_high, STREAM_THREATS, round_number, deal_number)
    start(sources[CHOICES], seed_low, seed_high, STREAM_CHOICES, round_number, deal_number)
    deal(rules, public, privates, hidden, sources[LUCK_LOST], sources[LUCK_DEAL])


@kernel
def play_round(
    rules, public, privates, hidden, needs, sources, policy, seed_low, seed_high, round_number, deal_number, stop_early, log
):
    """Play a whole round of a deal and return whether it was won.

    rules: record RULES; public, privates, hidden: a table; needs: scratch of the policies; sources: array of 4 random sources; policy: number of a policy;
    seed_low, seed_high, round_number, deal_number: uint64; stop_early: end once a goal is lost for good or all are met;
    log: see `table.new_log`. The table holds the final position afterwards.
    """
    prepare(rules, public, privates, hidden, sources, seed_low, seed_high, round_number, deal_number)
    setup(rules, public, privates, hidden, policy, sources[CHOICES], sources[LUCK_THREATS], log)
    failed, met = judge(rules, public, privates, hidden)
    while public.trick < public.tricks:
        if stop_early and (failed > 0 or met == public.seats):
            break
        play_trick(rules, public, privates, hidden, needs, policy, sources[CHOICES], log)
        if failed + met < public.seats:
            failed, met = judge(rules, public, privates, hidden)
    return met == public.seats
