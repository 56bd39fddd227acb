"""What is decided in a round, and where a round stands: the kinds of decisions and the stages.

Options are a mask: roster indices, seats, cards, or numbers; for yes and no, bit 0 is no and bit 1 is yes.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ZERO, inlined, kernel
from sim.tricks.rules import SEATS
from sim.tricks.table import NOBODY, at_left

NOTHING = 0
CHARACTER = 1  # roster indices
EXCHANGER = 2  # seats: who exchanges (one person)
TAKE = 3  # yes or no: the lost cards
PARTNER = 4  # seats; one's own: swap with the lost card
GIVEN = 5  # cards; view.partner gets it (oneself: it becomes the lost card)
RETURNED = 6  # cards
CARD = 7  # cards
DECLARE = 8  # yes or no
THREAT = 9  # numbers to choose from
KEPT = 10  # numbers: which of the threats drawn
AGAIN = 11  # yes or no: draw a threat again
WAY = 12  # FEWER or MORE
FROM_PILE = 13  # cards of the pile
TUCKED = 14  # cards: which one goes under the character
UNTUCK = 15  # yes or no: take it back
RESERVED = 16  # cards: for the last trick
AHEAD = 17  # cards: for the first trick
AHEAD_WINS = 18  # yes or no: declare the card played ahead
LEADER = 19  # seats: who leads
CURSED = 20  # seats: who bears the wandering curse; NOT_NOW: nobody in this round
CLAIM = 21  # seats: who may touch the lost card
FETCH = 22  # seats: with whom the gift exchanges (oneself: with the lost card); NOT_NOW: not before this trick
FREED = 23  # yes or no: need not follow suit in the first trick
NOT_NOW = SEATS
YES_OR_NO = np.uint64(3)

# Stages of a round.
SELECTING = 0
PREPARING = 1
ACTING = 2
PLAYING = 3
OVER = 4
DEALING = 5

WHY_SOLO = 1
WHY_NO_PARTNER = 2


@inlined
def ask(hidden, kind, seat, options):
    """Make a decision due."""
    hidden.pending = kind
    hidden.actor = seat
    hidden.options = options


@kernel
def bearer_plays(rules, public):
    """Return whether the character bound to the holder card is in the round."""
    return rules.bearer >= 0 and public.first >= 0 and public.character[public.first] == rules.bearer


@kernel
def acting_seat(rules, public, hidden):
    """Return the seat whose setup actions are due."""
    seat = at_left(public.first, hidden.step, rules.seats)
    if bearer_plays(rules, public) or not rules.holder_first:
        seat = at_left(seat, 1, rules.seats)
    return seat


@kernel
def first_seat(rules, public):
    """Return the seat from which setup counts: that of the bound character when it is in the round, else the holder."""
    if rules.bearer >= 0:
        for seat in range(rules.seats):
            if public.character[seat] == rules.bearer:
                return seat
    return public.holder


@kernel
def next_action(hidden):
    """Go on to the seat's next setup action."""
    hidden.action += 1
    hidden.part = 0
    hidden.partner = NOBODY
    hidden.given = NOBODY
    hidden.drawn = ZERO
    hidden.redrawn = 0
