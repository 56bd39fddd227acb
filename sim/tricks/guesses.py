"""What `search` imagines of the things that only some rounds hide: cards outside hands, numbers, decks, plans.

Called with an imagined table whose PUBLIC is real and whose HIDDEN is a copy of the real one: everything here that nobody
could know is replaced by a guess that agrees with what the deciding person knows.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, kernel, lowest
from sim.core.random import below, pick
from sim.tricks import goals, setup
from sim.tricks.deal import shuffle_reveals
from sim.tricks.rules import FACE_DOWN, FEWER, MORE
from sim.tricks.table import MET, NOBODY, OPEN


@kernel
def without_aside(rules, public, view, privates, hidden, pool):
    """Return the cards of `pool` that lie in hands or nowhere, as far as the person knows where the others are."""
    for seat in range(public.seats):
        privates.out[seat] = ZERO
    privates.out[public.controller[view.seat]] = view.out
    known = public.under | view.tucked
    privates.tucked = lowest(known) if known != ZERO else NOBODY
    if hidden.blind_card != NOBODY:
        hidden.blind_card = lowest(view.face_down) if view.face_down != ZERO else NOBODY
    return pool & ~(public.reserved | public.ahead | view.out | known | view.face_down)


@kernel
def guess_aside(rules, public, privates, hidden, pool, source):
    """Guess which card is tucked or lies face down in the trick; returns what is left of `pool` (cards in no known hand)."""
    seat = public.blind
    if seat != NOBODY and public.trick_card[seat] == FACE_DOWN and hidden.blind_card == NOBODY:
        # It may be a card that was known to lie in the hand.
        held = privates.hand[seat]
        fitting = held if count(held) > public.cards_left[seat] else pool | held
        fitting &= ~rules.declaring
        if public.blind_suit != NOBODY and fitting & rules.suit_mask[public.blind_suit]:
            fitting &= rules.suit_mask[public.blind_suit]
        hidden.blind_card = pick(source, fitting)
        privates.hand[seat] &= ~bit(hidden.blind_card)
        pool &= ~bit(hidden.blind_card)
    if public.tucked != NOBODY and privates.tucked == NOBODY and pool != ZERO:
        privates.tucked = pick(source, pool)
        pool &= ~bit(privates.tucked)
    return pool


@kernel
def count_trick_in_hand(public, step):
    """Count the trick in hand as still to come for who has played to it (step 1), or no longer (-1).

    Bounds hold between tricks.
    """
    for seat in range(public.seats):
        if public.trick_card[seat] != NOBODY:
            public.plays_left[seat] += step


@kernel
def fitting_threats(rules, public, seat, values, way, pool):
    """Return those of the threats `values` (mask) that agree with what was said of a seat's goal, and with which it is not lost.

    A goal that was said to be met is met, as far as all can see; one of which that was not said is not. Worlds in which the
    round is lost anyway decide nothing, so that to leave them out loses nothing. pool: what the hand may hold.
    """
    may = ZERO
    met = ZERO
    count_trick_in_hand(public, 1)
    rest = values
    while rest != ZERO:
        value = lowest(rest)
        rest &= rest - ONE
        setup.bind_goal(rules, public, seat, value, way)
        stands = goals.verdict(rules, public, seat, pool)
        if stands == OPEN:
            may |= bit(value)
        elif stands == MET:
            met |= bit(value)
    setup.bind_goal(rules, public, seat, public.threat[seat], public.way[seat])
    count_trick_in_hand(public, -1)
    if public.announced & bit(seat):
        # What it holds itself may have told it more.
        return met if met != ZERO else may
    return may if public.tricks > 0 else may | met


@kernel
def guess_numbers(rules, public, view, privates, hidden, pool, source):
    """Guess threats and declarations that the person does not see, such that the goals can still be met."""
    left = rules.threats & ~hidden.threats_out
    for seat in range(public.seats):
        privates.threat[seat] = max(public.threat[seat], view.threat[seat])
        privates.way[seat] = max(public.way[seat], view.way[seat])
        left &= ~bit(privates.threat[seat]) if privates.threat[seat] > 0 else left
    for seat in range(public.seats):
        if not public.secret & bit(seat):
            continue
        any_way = privates.way[seat] == 0 and rules.secret_ways & bit(public.character[seat]) != ZERO
        any_threat = privates.threat[seat] == 0 and setup.hides_threat(rules, public, seat)
        if any_way:
            privates.way[seat] = FEWER if below(source, 2) == 0 else MORE
        values = left if any_threat else bit(privates.threat[seat])
        if not (any_way or any_threat):
            continue
        options = fitting_threats(rules, public, seat, values, privates.way[seat], pool)
        if options == ZERO and any_way:
            other = FEWER + MORE - privates.way[seat]
            options = fitting_threats(rules, public, seat, values, other, pool)
            if options != ZERO:
                privates.way[seat] = other
        if any_threat:
            privates.threat[seat] = pick(source, options if options != ZERO else left)
            left &= ~bit(privates.threat[seat])
    if rules.secret_roles != ZERO or rules.curse_hides > 0:
        hidden.threats_left = left


@kernel
def guess_bound(rules, public, view, privates, pool, known_seats, source):
    """Deal the cards of `pool` that the pile cannot hold to hidden hands; returns what is left of `pool`.

    With a draw deck or a pyramid the pile itself is set aside instead, so that these get the others.
    """
    if rules.solo or public.pyramid != NOBODY:
        for _ in range(public.pile - count(view.out)):
            pool &= ~bit(pick(source, pool & ~rules.pile_not))
        return pool
    rest = pool & rules.pile_not
    while rest != ZERO:
        card = bit(pick(source, rest))
        rest &= ~card
        places = 0
        for turn in range(2):
            at = below(source, places) if turn == 1 and places > 0 else 0
            for seat in range(public.seats):
                free = public.cards_left[seat] - count(privates.hand[seat])
                if known_seats & bit(seat) or public.voids[seat] & card or free <= 0:
                    continue
                if turn == 0:
                    places += free
                elif pool & card:
                    if at < free:
                        privates.hand[seat] |= card
                        pool &= ~card
                    at -= free
    return pool


@kernel
def guess_rest(rules, public, view, privates, hidden, source):
    """Guess what depends on the imagined hands: the pile, plans of others, and the order of the deck turned up for tricks."""
    if public.pile > 0:
        pile = rules.deck & ~public.played & ~public.in_trick & ~public.lost & ~view.out
        for seat in range(public.seats):
            pile &= ~privates.hand[seat]
        for index in range(hidden.next_draw, hidden.draw_end):
            pile &= ~bit(hidden.order[index])
        if hidden.given != NOBODY:
            pile &= ~bit(hidden.given)
        hidden.pile = pile | view.out
        index = rules.pile - public.pile
        while pile != ZERO and index < rules.pile:
            slot = pick(source, pile)
            pile &= ~bit(slot)
            hidden.pile_order[index] = slot
            index += 1
    if hidden.plan > 0:
        guess_plan(rules, public, view, privates, hidden, source)
    if rules.reveal_test:
        place = hidden.reveal_next
        rest = ((ONE << np.uint64(rules.reveal_cards)) - ONE) & ~public.revealed_out
        if public.revealed_out == ZERO:
            rest = ZERO
        while rest != ZERO:
            card = pick(source, rest)
            rest &= ~bit(card)
            hidden.reveal_order[place] = card
            place += 1
        shuffle_reveals(rules, hidden, place, source)


@kernel
def guess_plan(rules, public, view, privates, hidden, source):
    """Let the others have chosen cards at random for the passes that are planned and not yet seen."""
    person = public.controller[view.seat]
    hidden.committed = ZERO
    for turn in range(2):
        for index in range(hidden.plan_at):
            giver = np.int64(hidden.plan_from[index])
            own = public.controller[giver] == person
            if hidden.plan_card[index] == NOBODY or own != (turn == 0):
                continue
            if not own:
                options = setup.passable(rules, public, privates, hidden, giver) & ~hidden.committed
                if options == ZERO:
                    hidden.plan_card[index] = NOBODY
                    continue
                hidden.plan_card[index] = pick(source, options)
            hidden.committed |= bit(hidden.plan_card[index])


@kernel
def fits_announcement(rules, public, privates):
    """Return whether an imagined hand could have announced the longest suits as its seat did."""
    seat = public.longest_of
    if seat == NOBODY:
        return True
    hand = privates.hand[seat] | public.longest_played
    if public.trick_card[seat] != NOBODY:
        hand |= bit(public.trick_card[seat])
    longest = 0
    for suit in range(rules.suits):
        longest = max(longest, count(hand & rules.suit_mask[suit]))
    for suit in range(rules.suits):
        named = public.longest & rules.suit_mask[suit] != ZERO
        if named != (count(hand & rules.suit_mask[suit]) == longest):
            return False
    return True
