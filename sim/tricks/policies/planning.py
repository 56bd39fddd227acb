"""Whom a group with a plan lets a seat choose in a long chapter: characters that bring it on, before those already completed.

No rule of the game (`random` knows nothing of it), but a habit that `script`, `team` and `search` share; they choose by the
hand among what it leaves. In single rounds nobody is sought, and it leaves all.
"""

from __future__ import annotations

from sim.core.jit import ONE, ZERO, bit, count, kernel, lowest
from sim.tricks.decisions import NOT_NOW
from sim.tricks.rules import ABSOLUTE, FEWEST, NO_LIMIT, OF_SELF, STREAK, TRICKS

EASY = 2
"""The weight of a wandering curse up to which it is taken as soon as possible."""


@kernel
def choosable(rules, public, view):
    """Return the options (mask over the roster) of a choice of character that do not make the chapter longer than it need be.

    Sought characters go first, and required ones with them, for they take a seat anyway. A character that only this seat may
    take is taken once all that are sought fit into the round: the other seats could not make up for it.
    """
    sought = view.options & public.sought
    if sought == ZERO:
        return view.options
    if rules.bearer >= 0 and sought & bit(rules.bearer) != ZERO:
        if count(public.sought) <= rules.seats - count(rules.required & ~public.sought):
            return bit(rules.bearer)
    return view.options & (public.sought | rules.required)


@kernel
def weight_of_curse(rules, public, seat):
    """Return how heavily the wandering curse would lie on a seat: 0 lightest.

    One that parts from exchanges weighs as many exchanges as it prevents; what must not be led or won weighs as many tricks as
    the seat's goal lets it win; to hide a threat weighs nothing.
    """
    role = public.character[seat]
    if rules.curse_parts > 0:
        prevented = 0
        for other in range(rules.seats):
            theirs = public.character[other]
            for action in range(rules.actions[role]):
                if other != seat and rules.partners[role, action] & bit(theirs):
                    prevented += 1
            for action in range(rules.actions[theirs]):
                if other != seat and rules.partners[theirs, action] & bit(role):
                    prevented += 1
        return prevented
    if rules.curse_terms == 0:
        return 0
    most = NO_LIMIT
    for term in range(rules.terms[role]):
        if rules.scope[role, term] != OF_SELF:
            continue
        measure = rules.measure[role, term]
        if measure == TRICKS and rules.compare[role, term] == FEWEST:
            most = 0
        elif (
            measure == TRICKS and rules.compare[role, term] == ABSOLUTE and not rules.high_threat[role, term]
        ) or measure == STREAK:
            most = min(most, rules.high[role, term])
    return most


@kernel
def bearable(rules, public, view):
    """Return the options (mask) of the choice who bears the wandering curse that make sense for a group with a plan.

    Somebody on whom it lies lightly bears it at once; else it waits for the round in which all are that are still sought.
    """
    seats = view.options & ~bit(NOT_NOW)
    light = ZERO
    rest = seats
    while rest != ZERO:
        seat = lowest(rest)
        rest &= rest - ONE
        if weight_of_curse(rules, public, seat) <= EASY:
            light |= bit(seat)
    if light != ZERO:
        return light
    left = public.sought
    for seat in range(rules.seats):
        left &= ~bit(public.character[seat])
    return seats if left == ZERO else view.options & bit(NOT_NOW)
