"""Cards that change hands at once: who passes to whom is planned, everybody chooses without seeing, then all moves.

A plan is a list of (from, to, card). The same list serves an exchange with every partner, passing to the right, the
passing between the steps of a deal, and exchanges that are all made together. Source: rule book, simultaneous exchange
[seed-TT][KR-eng].
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ZERO, bit, kernel
from sim.tricks import setup
from sim.tricks.decisions import GIVEN, ask
from sim.tricks.table import LOG_PASSED, NOBODY, PASS_EACH, PASS_RIGHT_ALL, at_left, note


@kernel
def plan(hidden, giver, receiver):
    """Add a pass to the plan."""
    hidden.plan_from[hidden.plan] = giver
    hidden.plan_to[hidden.plan] = receiver
    hidden.plan_card[hidden.plan] = NOBODY
    hidden.plan += 1


@kernel
def plan_all(rules, public, hidden, why, seat, partners):
    """Plan all passes of a kind: `seat` with each partner and back, everybody to the right, or each person to all others."""
    hidden.plan_why = why
    if why == PASS_EACH:
        for turn in range(2):
            for step in range(1, rules.seats):
                other = at_left(seat, step, rules.seats)
                if partners & bit(other):
                    plan(hidden, seat if turn == 0 else other, other if turn == 0 else seat)
    elif why == PASS_RIGHT_ALL:
        for step in range(rules.seats):
            giver = at_left(seat, step, rules.seats)
            if giver != public.pyramid:
                plan(hidden, giver, at_left(giver, rules.seats - 1, rules.seats))
                if rules.pass_with_controller and public.pyramid != NOBODY and public.controller[public.pyramid] == giver:
                    plan(hidden, public.pyramid, public.pyramid - 1)
        if public.pyramid != NOBODY and not rules.pass_with_controller:
            plan(hidden, public.pyramid, public.pyramid - 1)
    else:
        for giver in range(rules.seats):
            for receiver in range(rules.seats):
                if giver != receiver and giver != public.pyramid and receiver != public.pyramid:
                    plan(hidden, giver, receiver)


@kernel
def offered(rules, public, privates, hidden, seat):
    """Return the cards that a seat may still add to the plan."""
    return setup.passable(rules, public, privates, hidden, seat) & ~hidden.committed


@kernel
def ask_next(rules, public, privates, hidden):
    """Ask for the next card of the plan; returns whether there is one to ask for."""
    while hidden.plan_at < hidden.plan:
        seat = np.int64(hidden.plan_from[hidden.plan_at])
        options = offered(rules, public, privates, hidden, seat)
        if options != ZERO:
            hidden.partner = np.int64(hidden.plan_to[hidden.plan_at])
            ask(hidden, GIVEN, seat, options)
            return True
        # Whoever has nothing to pass passes nothing.
        hidden.plan_at += 1
    return False


@kernel
def commit(hidden, slot):
    """Choose the card of the pass that was asked for."""
    hidden.plan_card[hidden.plan_at] = slot
    hidden.committed |= bit(slot)
    hidden.plan_at += 1


@kernel
def carry_out(rules, public, privates, hidden, log):
    """Move all cards of the plan at once and clear it.

    A pyramid lays a card that it gets where the one lay that it gave to the same seat, or else the first one that it gave.
    """
    slots = np.int64(0)
    moved = 0
    for index in range(hidden.plan):
        card = hidden.plan_card[index]
        if card != NOBODY:
            giver = np.int64(hidden.plan_from[index])
            slot = setup.give_away(rules, public, privates, hidden, giver, bit(card))
            # The slot that it left, plus one, in five bits for each pass.
            slots |= (slot + 1) << (5 * index)
            moved += 1
    for index in range(hidden.plan):
        card = hidden.plan_card[index]
        if card == NOBODY:
            continue
        giver = np.int64(hidden.plan_from[index])
        receiver = np.int64(hidden.plan_to[index])
        seen_by = bit(public.controller[giver]) | bit(public.controller[receiver])
        if public.pyramid == giver or public.pyramid == receiver:
            seen_by = setup.everybody(rules)
        setup.learn(rules, public, privates, giver, receiver, bit(card), seen_by)
        place = np.int64(NOBODY)
        if receiver == public.pyramid:
            for turn in range(2):
                for other in range(hidden.plan):
                    mine = hidden.plan_from[other] == receiver and (slots >> (5 * other)) & 31 > 0
                    if place == NOBODY and mine and (turn == 1 or hidden.plan_to[other] == giver):
                        place = ((slots >> (5 * other)) & 31) - 1
                        slots &= ~(31 << (5 * other))
        setup.receive(rules, public, privates, hidden, receiver, bit(card), place)
        note(log, LOG_PASSED, giver, np.uint64(receiver), bit(card), np.uint64(hidden.plan_why))
        if log.on:
            log.row[log.rows - 1, 5] = np.uint64(moved)
            log.row[log.rows - 1, 6] = np.uint64(2 * index >= hidden.plan)
    hidden.plan = 0
    hidden.plan_at = 0
    hidden.committed = ZERO
    hidden.partner = NOBODY
