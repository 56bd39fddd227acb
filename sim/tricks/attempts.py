"""Attempts at a chapter: which round comes next, what it starts with, and what a finished one leads to.

Sources: rule book, "long chapters" [seed]; the Mithril Shirt [KR][seed], with exactly one failed goal [KR-eng] (A15).

Which kind of round comes next is the group's choice. It plans so: kinds in the order of the file; one that comes after all
others waits until the characters still open fit into it, and they must be chosen in it, so that it is the last; meanwhile, and
when all kinds are won, a kind that may be won again is repeated. The choice looks at no hand, so that it comes to the same
before and after the deal (A7).
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, kernel
from sim.tricks.plan import COURSE, MOST_ROUNDS
from sim.tricks.table import NOBODY, new_record

SHUFFLES = np.uint64(8)
"""An attempt's rounds are shuffled as number round + 256 * (attempt - 1) of the deal's random streams."""


def new_course(plan: np.record, first_deal: int, count: int) -> np.record:
    """Return a record COURSE that stands before the first round of `count` deals."""
    course = new_record(COURSE)
    # Deal numbers go round at 2 ** 64, and so does the end: it is met, never passed.
    course.deal, course.end = first_deal, (first_deal + count) & 0xFFFFFFFFFFFFFFFF
    course.attempt = course.number = 1
    course.kind = plan.first
    course.fetches, course.frees = plan.fetches, plan.frees
    return course


@kernel
def open_characters(plan, course, kind):
    """Return who has to be completed and is in no round yet to be won anyway (mask over the chapter's characters).

    Looked at before a round of `kind`, whose required characters are in it anyway.
    """
    found = plan.must & ~course.completed
    for other in range(plan.kinds):
        if other == kind or course.done & bit(other) == ZERO:
            found &= ~plan.required[other]
    return found


@kernel
def next_kind(plan, course):
    """Return the kind of the round that is due (see above)."""
    for kind in range(plan.kinds):
        if course.done & bit(kind) != ZERO or plan.after[kind] & ~course.done != ZERO:
            continue
        if plan.closing & bit(kind) != ZERO:
            left = open_characters(plan, course, kind)
            if left & ~plan.members[kind] != ZERO or count(left) > plan.free[kind]:
                continue
        return kind
    for kind in range(plan.kinds):
        if plan.again & bit(kind) != ZERO and plan.after[kind] & ~course.done == ZERO:
            return kind
    return plan.first


@kernel
def open_round(plan, course, rules, public):
    """Tell the table what a round starts with: goals that may fail, characters completed, and those that the plan seeks.

    rules: those of the round's kind; in the last round of a chapter the characters still open become required.
    """
    kind = course.kind
    public.spare = 1 if plan.saves & bit(kind) != ZERO and not course.saved else 0
    public.curse_due = 1 if plan.curse and not course.borne else 0
    public.fetches = course.fetches
    public.frees = course.frees
    left = open_characters(plan, course, kind)
    public.completed = ZERO
    public.sought = ZERO
    for role in range(rules.roster):
        who = bit(plan.everyone[kind, role])
        if course.completed & who != ZERO:
            public.completed |= bit(role)
        if left & who != ZERO:
            public.sought |= bit(role)
    rules.required = plan.required_roles[kind]
    if plan.closing & bit(kind) != ZERO:
        rules.required |= public.sought


@kernel
def shuffle_number(course):
    """Return the number of the round that is due among the deal's shuffles."""
    return np.uint64(course.number) + ((np.uint64(course.attempt) - ONE) << SHUFFLES)


@kernel
def start_attempt(plan, course, keep):
    """Go to the first round of an attempt; `keep`: with what was completed before."""
    course.number = 1
    course.saved = 0
    course.fetches = plan.fetches
    course.frees = plan.frees
    if not keep:
        course.borne = 0
        course.completed = ZERO
        course.done = ZERO
    course.kind = next_kind(plan, course) if plan.long else plan.first


@kernel
def next_deal(plan, course):
    """Go to the first round of the next deal."""
    course.deal += ONE
    course.attempt = 1
    start_attempt(plan, course, 0)


@kernel
def close_round(plan, course, public, hidden, won):
    """Draw the consequences of a finished round and go to the one that is due next; returns whether it counts as won."""
    if won and plan.long:
        kind = course.kind
        if hidden.met < public.seats:
            course.saved = 1
        for seat in range(public.seats):
            course.completed |= bit(plan.everyone[kind, public.character[seat]])
        course.done |= bit(kind)
        course.fetches = public.fetches
        course.frees = public.frees
        if public.cursed != NOBODY:
            course.borne = 1
        done = plan.must & ~course.completed == ZERO and course.done == (ONE << np.uint64(plan.kinds)) - ONE
        if done and (course.borne or not plan.curse):
            next_deal(plan, course)
        elif course.number < MOST_ROUNDS:
            course.number += 1
            course.kind = next_kind(plan, course)
        else:
            won = False
    elif won:
        next_deal(plan, course)
    if not won:
        if course.attempt < plan.attempts:
            course.attempt += 1
            start_attempt(plan, course, plan.keep)
        else:
            next_deal(plan, course)
    return won
