"""A round as a sequence of decisions: `advance` goes on until one is due, `apply` carries it out.

Everything that decides (policies, searches, replays) drives a round through these two, so the order of things stands here
alone. Order of choice: the holder card's holder takes the character bound to it, or chooses first when there is none; then
clockwise. Order of setup actions: clockwise from the holder's left, the holder last; without a bound character the holder
acts first (A13). Decisions with a single option are not asked.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, inlined, kernel, lowest
from sim.core.random import STREAM_CHOICES, STREAM_DEAL, STREAM_LOST, STREAM_THREATS, start
from sim.tricks import play, pyramid, setup, tricks
from sim.tricks.deal import deal_hands, lose_cards
from sim.tricks.rules import DRAW_THREAT, EXCHANGE, GIVE_EACH, TAKE_LOST
from sim.tricks.table import (
    LOG_CHOSE,
    LOG_DECLARE,
    LOG_DECLINED,
    LOG_EXCHANGE,
    LOG_EXCHANGER,
    LOG_NO_EXCHANGE,
    LOG_PLAY,
    LOG_START,
    NOBODY,
    at_left,
    note,
)

# Kinds of decisions. Options are a mask: roster indices, seats, or cards; for yes and no, bit 0 is no and bit 1 is yes.
NOTHING = 0
CHARACTER = 1
EXCHANGER = 2
TAKE = 3
PARTNER = 4
GIVEN = 5
RETURNED = 6
CARD = 7
DECLARE = 8
YES_OR_NO = np.uint64(3)

# Stages of a round.
SELECTING = 0
PREPARING = 1
ACTING = 2
PLAYING = 3
OVER = 4

WHY_SOLO = 1
WHY_NO_PARTNER = 2


@inlined
def ask(hidden, kind, seat, options):
    """Make a decision due."""
    hidden.pending = kind
    hidden.actor = seat
    hidden.options = options


@kernel
def next_action(hidden):
    """Go on to the seat's next setup action."""
    hidden.action += 1
    hidden.part = 0
    hidden.partner = NOBODY
    hidden.given = NOBODY


@kernel
def select(rules, public, hidden, log):
    """Let the next seat take a character; returns whether it has to decide."""
    if hidden.step == rules.seats:
        hidden.stage = PREPARING
        hidden.step = 0
        return False
    seat = at_left(public.holder, hidden.step, rules.seats)
    if hidden.step == 0 and rules.bearer >= 0:
        options = bit(rules.bearer)
    else:
        taken = ZERO
        for other in range(rules.seats):
            if public.character[other] != NOBODY:
                taken |= bit(public.character[other])
        options = setup.selectable(rules, taken, rules.seats - 1 - hidden.step)
    ask(hidden, CHARACTER, seat, options)
    return True


@kernel
def prepare_solo(rules, public, privates, hidden, log):
    """Between selection and setup actions: what one person settles first; returns whether there is something to decide."""
    if hidden.part == 0:
        hidden.part = 1
        if rules.solo:
            setup.extra_cards(rules, public, privates, hidden, log)
            options = setup.exchangers(rules, public)
            if options != ZERO:
                ask(hidden, EXCHANGER, public.holder, options)
                return True
    hidden.part = 0
    hidden.stage = ACTING
    return False


@kernel
def acting_seat(rules, public, hidden):
    """Return the seat whose setup actions are due."""
    seat = at_left(public.holder, hidden.step, rules.seats)
    if rules.bearer >= 0 or not rules.holder_first:
        seat = at_left(seat, 1, rules.seats)
    return seat


@kernel
def act(rules, public, privates, hidden, luck, log):
    """Perform setup up to the next decision; returns whether there is one."""
    if hidden.step == rules.seats:
        start_play(rules, public, privates, hidden, log)
        return False
    seat = acting_seat(rules, public, hidden)
    role = public.character[seat]
    if hidden.action == rules.actions[role]:
        hidden.step += 1
        hidden.action = 0
        return False
    kind = rules.action[role, hidden.action]
    if kind == EXCHANGE:
        return act_exchange(rules, public, privates, hidden, seat, role, log)
    if kind == TAKE_LOST:
        if public.lost != ZERO:
            if rules.take_optional:
                ask(hidden, TAKE, seat, YES_OR_NO)
                return True
            setup.take_lost(rules, public, privates, hidden, seat, log)
    elif kind == DRAW_THREAT:
        setup.draw_threat(rules, public, hidden, seat, hidden.action, luck, log)
    elif kind == GIVE_EACH:
        if hidden.part + 1 < rules.seats:
            hidden.partner = at_left(seat, hidden.part + 1, rules.seats)
            ask(hidden, GIVEN, seat, setup.passable(rules, public, privates, hidden, seat))
            return True
    next_action(hidden)
    return False


@kernel
def act_exchange(rules, public, privates, hidden, seat, role, log):
    """Take an exchange up to its next decision: partner (part 0), card given (1), card returned (2)."""
    if hidden.part == 0:
        hidden.eligible = setup.partners(rules, public, seat, hidden.action)
        if hidden.eligible == ZERO or setup.passable(rules, public, privates, hidden, seat) == ZERO:
            note(log, LOG_NO_EXCHANGE, seat, np.uint64(WHY_NO_PARTNER), ZERO, ZERO)
            next_action(hidden)
            return False
        if rules.solo and seat != hidden.exchanger:
            note(log, LOG_NO_EXCHANGE, seat, np.uint64(WHY_SOLO), ZERO, ZERO)
            next_action(hidden)
            return False
        ask(hidden, PARTNER, seat, hidden.eligible)
    elif hidden.part == 1:
        ask(hidden, GIVEN, seat, setup.passable(rules, public, privates, hidden, seat))
    else:
        # The receiver looks at the card before it chooses.
        offered = setup.passable(rules, public, privates, hidden, hidden.partner) | bit(hidden.given)
        ask(hidden, RETURNED, hidden.partner, offered)
    return True


@kernel
def start_play(rules, public, privates, hidden, log):
    """Go from setup to the first lead."""
    if rules.pyramid:
        # Gifts can empty slots of the bottom row: what they covered can be played from the first trick on.
        pyramid.uncover(rules, public, hidden)
    setup.count_plays(rules, public, hidden)
    setup.bind_goals(rules, public)
    public.leader = setup.first_leader(rules, public)
    public.opening_leader = public.leader
    note(log, LOG_START, public.leader, ZERO, ZERO, ZERO)
    hidden.stage = PLAYING
    hidden.step = 0
    tricks.judge(rules, public, privates, hidden)


@inlined
def play_on(rules, public, privates, hidden, log):
    """Play up to the next decision on a card; returns whether there is one."""
    if hidden.part == 1:
        # The declaring card was laid: its seat decides again before the next one plays.
        hidden.part = 0
        ask(hidden, DECLARE, hidden.actor, YES_OR_NO)
        return True
    if hidden.step == public.seats:
        if rules.declare_after and public.in_trick & rules.declaring and not hidden.asked_declare:
            hidden.asked_declare = 1
            for seat in range(rules.seats):
                if public.trick_card[seat] != NOBODY and bit(public.trick_card[seat]) == rules.declaring:
                    ask(hidden, DECLARE, seat, YES_OR_NO)
                    return True
        tricks.end_trick(rules, public, privates, hidden, log)
        hidden.asked_declare = 0
        hidden.step = 0
        if hidden.failed + hidden.met < public.seats:
            tricks.judge(rules, public, privates, hidden)
    if hidden.step == 0:
        decided = hidden.stop_early and (hidden.failed > 0 or hidden.met == public.seats)
        if public.trick == public.tricks or decided:
            hidden.stage = OVER
            return False
    seat = at_left(public.leader, hidden.step, public.seats)
    if public.plays_left[seat] == 0:
        hidden.step += 1
        return False
    ask(hidden, CARD, seat, play.legal(rules, public, seat, privates.hand[seat]))
    return True


@kernel
def advance(rules, public, privates, hidden, luck, log):
    """Go on until a decision with a choice is due (True; see hidden.pending, actor, options) or the round is over (False)."""
    while True:
        if hidden.stage == PLAYING:
            due = play_on(rules, public, privates, hidden, log)
        elif hidden.stage == ACTING:
            due = act(rules, public, privates, hidden, luck, log)
        elif hidden.stage == SELECTING:
            due = select(rules, public, hidden, log)
        elif hidden.stage == PREPARING:
            due = prepare_solo(rules, public, privates, hidden, log)
        else:
            hidden.pending = NOTHING
            return False
        if due:
            if hidden.options & (hidden.options - ONE):
                return True
            apply(rules, public, privates, hidden, lowest(hidden.options), log)


@inlined
def apply(rules, public, privates, hidden, choice, log):
    """Carry out the decision that is due: `choice` is one of hidden.options."""
    if hidden.pending == CARD:
        seat = hidden.actor
        note(log, LOG_PLAY, seat, bit(choice), hidden.options, ZERO)
        tricks.lay(rules, public, privates, hidden, seat, choice)
        if bit(choice) == rules.declaring and not rules.declare_after:
            hidden.part = 1
        else:
            hidden.step += 1
    else:
        apply_other(rules, public, privates, hidden, choice, log)


@kernel
def apply_other(rules, public, privates, hidden, choice, log):
    """Carry out any decision but that on a card."""
    kind = hidden.pending
    seat = hidden.actor
    if kind == DECLARE:
        if choice == 1:
            public.declared = seat
        note(log, LOG_DECLARE, seat, np.uint64(choice), ZERO, ZERO)
        if not rules.declare_after:
            hidden.step += 1
    elif kind == RETURNED:
        actor = acting_seat(rules, public, hidden)
        note(log, LOG_EXCHANGE, actor, np.uint64(seat), bit(hidden.given), bit(choice))
        if log.on:
            log.row[log.rows - 1, 5] = hidden.eligible
        setup.return_card(rules, public, privates, hidden, actor, seat, hidden.given, hidden.given_slot, choice)
        next_action(hidden)
    elif kind == GIVEN:
        if rules.action[public.character[seat], hidden.action] == GIVE_EACH:
            setup.give(rules, public, privates, hidden, seat, hidden.partner, choice, log)
            hidden.part += 1
        else:
            hidden.given = choice
            hidden.given_slot = setup.give_away(rules, public, privates, hidden, seat, bit(choice))
            hidden.part = 2
    elif kind == PARTNER:
        hidden.partner = choice
        hidden.part = 1
    elif kind == CHARACTER:
        public.character[seat] = choice
        note(log, LOG_CHOSE, seat, np.uint64(choice), hidden.options, ZERO)
        hidden.step += 1
    elif kind == EXCHANGER:
        hidden.exchanger = choice
        note(log, LOG_EXCHANGER, choice, hidden.options, ZERO, ZERO)
    elif kind == TAKE:
        if choice == 1:
            setup.take_lost(rules, public, privates, hidden, seat, log)
        else:
            note(log, LOG_DECLINED, seat, public.lost, ZERO, ZERO)
        next_action(hidden)


@kernel
def prepare(rules, public, privates, hidden, luck, choices, seed_low, seed_high, round_number, deal_number):
    """Deal a round from its seed; `luck` then stands at the threats' stream, `choices` at that of the policies."""
    start(luck, seed_low, seed_high, STREAM_LOST, round_number, deal_number)
    lose_cards(rules, public, privates, hidden, luck)
    start(luck, seed_low, seed_high, STREAM_DEAL, round_number, deal_number)
    deal_hands(rules, public, privates, hidden, luck)
    start(luck, seed_low, seed_high, STREAM_THREATS, round_number, deal_number)
    start(choices, seed_low, seed_high, STREAM_CHOICES, round_number, deal_number)
