"""A round as a sequence of decisions: `advance` goes on until one is due, `apply` carries it out.

Everything that decides (policies, searches, replays) drives a round through these two, so the order of things stands here
alone. Order of choice: the holder card's holder takes the character bound to it, or chooses first when there is none; then
clockwise. Order of setup actions: clockwise from the left of the bound character, which acts last; without it the holder
acts first (A13). Decisions with a single option are not asked.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, call_far, far, inlined, kernel, lowest
from sim.core.random import STREAM_CHOICES, start
from sim.tricks import actions, events, moves, play, pyramid, setup, tricks
from sim.tricks.deal import deal_step
from sim.tricks.decisions import (
    ACTING,
    AHEAD_WINS,
    CARD,
    CHARACTER,
    CLAIM,
    CURSED,
    DECLARE,
    EXCHANGER,
    GIVEN,
    LEADER,
    NOT_NOW,
    NOTHING,
    OVER,
    PARTNER,
    PLAYING,
    PREPARING,
    RETURNED,
    SELECTING,
    TAKE,
    THREAT,
    UNTUCK,
    WHY_NO_PARTNER,
    WHY_SOLO,
    YES_OR_NO,
    acting_seat,
    ask,
    first_seat,
    next_action,
)
from sim.tricks.given import deal_once, fits_after_setup, may_try_again
from sim.tricks.rules import (
    DRAW_THREAT,
    EXCHANGE,
    FAR_APPLY,
    FAR_BETWEEN,
    FAR_GIVEN,
    FAR_PREPARE,
    FAR_READY,
    GIVE_EACH,
    SWAP_LOST,
    TAKE_LOST,
)
from sim.tricks.table import (
    LOG_CAST,
    LOG_CHOSE,
    LOG_DECLARE,
    LOG_DECLINED,
    LOG_EXCHANGE,
    LOG_EXCHANGER,
    LOG_NAMED,
    LOG_NO_EXCHANGE,
    LOG_PLAY,
    LOG_START,
    NOBODY,
    PASS_STEP,
    PASS_TOGETHER,
    at_left,
    note,
)


@kernel
def deal_on(rules, public, privates, hidden, log):
    """Deal step by step, everybody passing cards in between; returns whether there is something to decide."""
    if hidden.plan > 0:
        if moves.ask_next(rules, public, privates, hidden):
            return True
        moves.carry_out(rules, public, privates, hidden, log)
    if hidden.step_dealt == rules.steps + 1:
        hidden.stage = SELECTING
        return False
    deal_step(rules, public, privates, hidden)
    if hidden.step_dealt <= rules.steps:
        moves.plan_all(rules, public, hidden, PASS_STEP, 0, ZERO)
    return False


@kernel
def select(rules, public, hidden, log):
    """Let the next seat take a character; returns whether it has to decide."""
    if rules.cast and hidden.step == 0:
        hidden.step = rules.seats
        for seat in range(rules.seats):
            note(log, LOG_CAST, seat, np.uint64(public.character[seat]), ZERO, ZERO)
    if hidden.step == rules.seats:
        public.first = first_seat(rules, public)
        hidden.stage = PREPARING
        hidden.step = 0
        return False
    seat = at_left(public.holder, hidden.step, rules.seats)
    taken = ZERO
    for other in range(rules.seats):
        if public.character[other] != NOBODY:
            taken |= bit(public.character[other])
    ask(hidden, CHARACTER, seat, setup.may_take(rules, public, taken, hidden.step))
    return True


@kernel
def prepare_setup(rules, public, privates, hidden, log):
    """Between selection and setup actions: what is settled first, for all; returns whether there is something to decide.

    Who bears the wandering curse, who exchanges (one person), who may touch the lost card. The group's choices are asked of
    the seat from which setup counts.
    """
    hidden.part += 1
    if hidden.part == 1 and public.curse_due:
        options = setup.curse_options(rules, public)
        if options != ZERO:
            ask(hidden, CURSED, public.first, options | bit(NOT_NOW))
            return True
    elif hidden.part == 2 and rules.solo:
        setup.extra_cards(rules, public, privates, hidden, log)
        options = setup.exchangers(rules, public)
        if options != ZERO:
            ask(hidden, EXCHANGER, public.holder, options)
            return True
    elif hidden.part == 3 and rules.take_by_group:
        options = setup.claimants(rules, public, hidden)
        if options != ZERO:
            ask(hidden, CLAIM, public.first, options)
            return True
    elif hidden.part > 3:
        hidden.part = 0
        hidden.stage = ACTING
    return False


@kernel
def act(rules, public, privates, hidden, luck, log):
    """Perform setup up to the next decision; returns whether there is one."""
    if hidden.step == rules.seats:
        if hidden.plan > 0:
            return finish_together(rules, public, privates, hidden, log)
        start_play(rules, public, privates, hidden, log)
        return False
    seat = acting_seat(rules, public, hidden)
    role = public.character[seat]
    if hidden.action == rules.actions[role]:
        hidden.step += 1
        hidden.action = 0
        return False
    kind = rules.action[role, hidden.action]
    if kind == EXCHANGE or (kind == SWAP_LOST and 0 < hidden.part < actions.SWAPPING):
        return act_exchange(rules, public, privates, hidden, seat, role, log)
    if kind == TAKE_LOST:
        if public.lost != ZERO and setup.may_touch(rules, public, seat):
            if rules.take_optional:
                ask(hidden, TAKE, seat, YES_OR_NO)
                return True
            setup.take_lost(rules, public, privates, hidden, seat, log)
    elif kind == DRAW_THREAT and rules.amount[role, hidden.action] == 1 and rules.redrawer < 0:
        setup.draw_threat(rules, public, privates, hidden, seat, hidden.action, luck, log)
    elif kind == GIVE_EACH:
        if hidden.part + 1 < rules.seats:
            hidden.partner = at_left(seat, hidden.part + 1, rules.seats)
            ask(hidden, GIVEN, seat, setup.passable(rules, public, privates, hidden, seat))
            return True
    else:
        return actions.act_rare(rules, public, privates, hidden, seat, kind, luck, log)
    next_action(hidden)
    return False


@kernel
def finish_together(rules, public, privates, hidden, log):
    """Exchanges that are made together: once all have chosen, let those that were asked choose, and move all cards."""
    if hidden.part == 0:
        hidden.part = 1
        first = hidden.plan
        hidden.plan_why = PASS_TOGETHER
        for index in range(first):
            moves.plan(hidden, np.int64(hidden.plan_to[index]), np.int64(hidden.plan_from[index]))
    if moves.ask_next(rules, public, privates, hidden):
        return True
    moves.carry_out(rules, public, privates, hidden, log)
    hidden.part = 0
    return False


@kernel
def act_exchange(rules, public, privates, hidden, seat, role, log):
    """Take an exchange up to its next decision: partner (part 0), card given (1), card returned (2)."""
    if hidden.part == 0:
        hidden.eligible = setup.partners(rules, public, seat, hidden.action)
        if hidden.eligible == ZERO or moves.offered(rules, public, privates, hidden, seat) == ZERO:
            note(log, LOG_NO_EXCHANGE, seat, np.uint64(WHY_NO_PARTNER), ZERO, ZERO)
            next_action(hidden)
            return False
        if rules.solo and seat != hidden.exchanger:
            note(log, LOG_NO_EXCHANGE, seat, np.uint64(WHY_SOLO), ZERO, ZERO)
            next_action(hidden)
            return False
        ask(hidden, PARTNER, seat, hidden.eligible)
    elif hidden.part == 1:
        ask(hidden, GIVEN, seat, moves.offered(rules, public, privates, hidden, seat))
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
    events.start(rules, public, privates, hidden, log)
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
        hidden.between = 0
        if hidden.failed + hidden.met < public.seats:
            tricks.judge(rules, public, privates, hidden)
    if hidden.step == 0:
        decided = hidden.stop_early and (hidden.failed > public.spare or hidden.met == public.seats)
        if public.trick == public.tricks or decided:
            if public.secret:
                events.tell_all(rules, public, privates)
            hidden.stage = OVER
            return False
        if rules.between and hidden.between < events.DONE:
            if call_far(rules.far[FAR_BETWEEN], (rules, public, privates, hidden, log)):
                return True
    seat = at_left(public.leader, hidden.step, public.seats)
    if public.plays_left[seat] == 0 or public.trick_card[seat] != NOBODY:
        hidden.step += 1
        return False
    ask(hidden, CARD, seat, play.legal(rules, public, seat, privates.hand[seat]))
    return True


@inlined
def deal_again(rules, public, privates, hidden, luck, log):
    """Before the first lead: deal the round anew when it does not fit its condition; returns whether it was."""
    # No tries are counted without a condition, in imagined rounds, and when too many were made.
    if hidden.tries == 0 or fits_after_setup(rules, public, privates, hidden):
        return False
    if not may_try_again(rules, hidden):
        hidden.tries = 0
        return False
    log.rows = 0
    call_far(
        rules.far[FAR_GIVEN],
        (rules, public, privates, hidden, luck, luck.key[0], luck.key[1], luck.counter[2], luck.counter[3]),
    )
    return True


@kernel
def prepare_to_play(rules, public, privates, hidden, luck, log):
    """Go on to the next decision with a choice before play (returns 1), or to the first lead (0).

    A round that turns out not to fit its condition is dealt anew, and setup begins again.
    """
    while hidden.stage != PLAYING or deal_again(rules, public, privates, hidden, luck, log):
        if hidden.stage == ACTING:
            due = act(rules, public, privates, hidden, luck, log)
        elif hidden.stage == SELECTING:
            due = select(rules, public, hidden, log)
        elif hidden.stage == PREPARING:
            due = prepare_setup(rules, public, privates, hidden, log)
        else:
            due = deal_on(rules, public, privates, hidden, log)
        if due:
            if hidden.options & (hidden.options - ONE):
                return 1
            apply_other(rules, public, privates, hidden, lowest(hidden.options), log)
    return 0


@inlined
def get_ready(rules, public, privates, hidden, luck, log):
    """Go on towards play; returns whether a decision with a choice is due (False: the first seat leads)."""
    return call_far(rules.far[FAR_READY], (rules, public, privates, hidden, luck, log)) != 0


@kernel
def advance(rules, public, privates, hidden, luck, log):
    """Go on until a decision with a choice is due (True; see hidden.pending, actor, options) or the round is over (False)."""
    while True:
        if hidden.stage == PLAYING:
            due = play_on(rules, public, privates, hidden, log)
        elif hidden.stage == OVER:
            hidden.pending = NOTHING
            return False
        elif get_ready(rules, public, privates, hidden, luck, log):
            return True
        else:
            due = False
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
        if seat == public.blind and bit(choice) != rules.declaring:
            call_far(rules.far[FAR_APPLY], (rules, public, privates, hidden, choice, log))
        else:
            tricks.lay(rules, public, privates, hidden, seat, choice)
        if bit(choice) == rules.declaring and not rules.declare_after:
            hidden.part = 1
        else:
            hidden.step += 1
    else:
        call_far(rules.far[FAR_APPLY], (rules, public, privates, hidden, choice, log))


@kernel
def apply_other(rules, public, privates, hidden, choice, log):
    """Carry out any decision but that on a card laid face up."""
    kind = hidden.pending
    seat = hidden.actor
    if kind == CARD:
        events.lay_face_down(rules, public, privates, hidden, seat, choice)
    elif kind == DECLARE:
        if choice == 1:
            public.declared = seat
        note(log, LOG_DECLARE, seat, np.uint64(choice), ZERO, ZERO)
        if not rules.declare_after:
            hidden.step += 1
    elif hidden.fetching or kind >= CURSED:
        actions.apply_later(rules, public, privates, hidden, choice, log)
    elif kind == RETURNED:
        actor = acting_seat(rules, public, hidden)
        note(log, LOG_EXCHANGE, actor, np.uint64(seat), bit(hidden.given), bit(choice))
        if log.on:
            log.row[log.rows - 1, 5] = hidden.eligible
        setup.return_card(rules, public, privates, hidden, actor, seat, hidden.given, hidden.given_slot, choice)
        next_action(hidden)
    elif kind == GIVEN and moves_together(rules, hidden):
        moves.commit(hidden, choice)
    elif kind == GIVEN:
        if rules.action[public.character[seat], hidden.action] == GIVE_EACH:
            setup.give(rules, public, privates, hidden, seat, hidden.partner, choice, log)
            hidden.part += 1
        elif hidden.part == actions.SWAPPING:
            actions.apply_rare(rules, public, privates, hidden, choice, log)
        elif rules.simultaneous:
            # The card waits in the hand until all exchanges are made.
            moves.plan(hidden, seat, hidden.partner)
            moves.commit(hidden, choice)
            next_action(hidden)
        else:
            hidden.given = choice
            hidden.given_slot = setup.give_away(rules, public, privates, hidden, seat, bit(choice))
            hidden.part = 2
    elif kind == PARTNER:
        hidden.partner = choice
        hidden.part = actions.SWAPPING if choice == seat else 1
    elif kind == CHARACTER:
        public.character[seat] = choice
        note(log, LOG_CHOSE, seat, np.uint64(choice), hidden.options, ZERO)
        hidden.step += 1
    elif kind == EXCHANGER:
        hidden.exchanger = choice
        note(log, LOG_EXCHANGER, choice, hidden.options, ZERO, ZERO)
    elif kind == TAKE and rules.action[public.character[seat], hidden.action] == SWAP_LOST:
        hidden.redrawn = actions.TAKEN if choice == 1 else actions.DECLINED
        if choice == 0:
            note(log, LOG_DECLINED, seat, public.lost, ZERO, ZERO)
    elif kind == TAKE:
        if choice == 1:
            setup.take_lost(rules, public, privates, hidden, seat, log)
        else:
            note(log, LOG_DECLINED, seat, public.lost, ZERO, ZERO)
        next_action(hidden)
    elif kind == LEADER:
        if choice != seat:
            note(log, LOG_NAMED, seat, np.uint64(choice), ZERO, ZERO)
        public.leader = choice
    elif kind == UNTUCK:
        if choice == 1:
            events.untuck(rules, public, privates, hidden, log)
    elif THREAT <= kind <= AHEAD_WINS:
        actions.apply_rare(rules, public, privates, hidden, choice, log)
    return 0


@inlined
def moves_together(rules, hidden):
    """Return whether the card that was asked for belongs to a plan."""
    return hidden.plan_at < hidden.plan


@kernel
def deal_round(rules, public, privates, hidden, luck, choices, seed_low, seed_high, round_number, deal_number):
    """Deal a round from its seed; `luck` then stands at the threats' stream, `choices` at that of the policies."""
    hidden.tries = 0
    if rules.condition:
        call_far(rules.far[FAR_GIVEN], (rules, public, privates, hidden, luck, seed_low, seed_high, round_number, deal_number))
    else:
        deal_once(rules, public, privates, hidden, luck, seed_low, seed_high, round_number, deal_number, ZERO)
    start(choices, seed_low, seed_high, STREAM_CHOICES, round_number, deal_number)
    return 0


@inlined
def prepare(rules, public, privates, hidden, luck, choices, seed_low, seed_high, round_number, deal_number):
    """Deal a round from its seed; `luck` then stands at the threats' stream, `choices` at that of the policies."""
    call_far(
        rules.far[FAR_PREPARE], (rules, public, privates, hidden, luck, choices, seed_low, seed_high, round_number, deal_number)
    )


far(FAR_PREPARE, deal_round)
far(FAR_READY, prepare_to_play)
far(FAR_APPLY, apply_other)
far(FAR_BETWEEN, events.between)
