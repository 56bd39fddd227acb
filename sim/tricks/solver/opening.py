"""What open hands know of a round that has an event or rare abilities, and what is due before a trick of it.

Nothing is secret from the solver: hidden goals stand open in its table, a card played face down is a card like any other,
and what will be turned up for the tricks to come is known, since its deck is shuffled ahead for the whole round.
"""

from __future__ import annotations

from sim.core.jit import call_far, inlined, kernel
from sim.tricks import events
from sim.tricks.decisions import LEADER, UNTUCK
from sim.tricks.rules import FAR_APPLY, FAR_BETWEEN
from sim.tricks.solver.bounds import future_hand
from sim.tricks.table import NOBODY

CHOICE_BITS = 2
"""Bits of a choice before a trick (yes or no, a seat). There are at most two of them, one after the other."""
CHOICES = 1 << CHOICE_BITS


@kernel
def lay_open(rules, public, privates, hidden):
    """Turn a table between two tricks into one of open hands.

    Goals are told, nobody plays face down, and what no hand will hold counts as lost.
    """
    if public.secret:
        events.tell_all(rules, public, privates)
    public.blind = NOBODY
    held = public.played | public.in_trick
    for seat in range(public.seats):
        held |= future_hand(public, privates, hidden, seat)
    public.lost = rules.deck & ~held
    if hidden.pending == UNTUCK or hidden.pending == LEADER:
        # It will be asked again.
        hidden.between -= 1


@inlined
def is_due(rules, public, privates, hidden, log):
    """Go on with what comes before a trick; returns whether a decision is due (`hidden.pending`, `options`)."""
    if rules.between and hidden.between < events.DONE:
        return call_far(rules.far[FAR_BETWEEN], (rules, public, privates, hidden, log)) != 0
    return False


@kernel
def decide(rules, public, privates, hidden, work, level, choice, log):
    """Carry out a decision before a trick, note it in the line and go on; returns whether another one is due."""
    if hidden.pending == UNTUCK:
        work.untuck[level] = choice
    else:
        work.named[level] = choice
    call_far(rules.far[FAR_APPLY], (rules, public, privates, hidden, choice, log))
    return is_due(rules, public, privates, hidden, log)
