"""How likely an imagined world is, judged by what the others did: everybody's policy is common knowledge.

Going back through the round, an imagined hand grows by the cards that its seat has played since; at every choice that the
person saw (a card, a character, a card passed to or by itself), `team` is asked how likely it would have chosen so with that
hand. Where an exchange between two others hides what a hand was before, its earlier choices say nothing.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, kernel, lowest
from sim.tricks import play
from sim.tricks.decisions import CARD, CHARACTER, GIVEN, RETURNED
from sim.tricks.policies import dispatch, team
from sim.tricks.policies.equal import stands_for, unlike
from sim.tricks.table import (
    LOG_AGAIN,
    LOG_CHOSE,
    LOG_CLAIMED,
    LOG_CURSED,
    LOG_DECLARE,
    LOG_EVENT_FAILED,
    LOG_EXCHANGE,
    LOG_FETCHED,
    LOG_FREED,
    LOG_GAVE,
    LOG_KEPT,
    LOG_LONGEST,
    LOG_NAMED,
    LOG_NO_EXCHANGE,
    LOG_PICKED,
    LOG_PLAY,
    LOG_REVEAL,
    LOG_START,
    LOG_THREAT,
    LOG_TOOK,
    LOG_TRICK,
    LOG_WAY,
    PUBLIC,
    new_record,
)

CHOICES = 96
"""Room for the choices of a round."""
DOUBT = 0.1
"""How much of a choice's likelihood does not depend on the hand: nobody plays exactly as `team` does."""
PER_POINT = 1.0 / (1 << 18)
"""Of the scores of `team`: one is a factor e of likelihood."""

HARMLESS = np.uint64(
    sum(
        1 << event
        for event in (
            LOG_AGAIN, LOG_CHOSE, LOG_CLAIMED, LOG_CURSED, LOG_DECLARE, LOG_EVENT_FAILED, LOG_FREED, LOG_KEPT,
            LOG_LONGEST, LOG_NAMED, LOG_NO_EXCHANGE, LOG_PICKED,
            LOG_REVEAL, LOG_START, LOG_THREAT, LOG_TRICK, LOG_WAY,
        )
    )
)  # fmt: skip
"""Events (mask) that move no cards between hands."""

HISTORY = np.dtype(
    [
        ("on", np.int64),
        ("tries", np.int64),
        ("choices", np.int64),
        ("row", np.int64, (CHOICES,)),
        ("kind", np.int64, (CHOICES,)),
        ("seat", np.int64, (CHOICES,)),
        ("choice", np.int64, (CHOICES,)),
        ("partner", np.int64, (CHOICES,)),
        ("received", np.int64, (CHOICES,)),
        ("options", np.uint64, (CHOICES,)),
        ("hand", np.uint64, (4,)),
        ("known", np.int64, (4,)),
    ]
)
"""The choices of a round so far: whether inference is asked for, the deal that was tried (hidden.tries), how many, and for each
the row of the log that it led to, kind of decision, seat, choice, partner, card received, options. hand, known: scratch, the
imagined hands on the way back."""


def new_history(on: bool) -> tuple[np.record, np.ndarray]:
    """Return an empty record HISTORY and room for what all saw before each choice, array of dtype PUBLIC, shape (96,)."""
    history = new_record(HISTORY)
    history.on = on
    return history, np.zeros(CHOICES if on else 1, PUBLIC)


@kernel
def remember(history, pasts, public, view, log, choice):
    """Note the choice that is about to be carried out, with the open table before it."""
    n = history.choices
    if history.on and n < CHOICES:
        pasts[n] = public
        history.row[n] = log.rows
        history.kind[n] = view.pending
        history.seat[n] = view.seat
        history.choice[n] = choice
        history.partner[n] = view.partner
        history.received[n] = view.received
        history.options[n] = view.options
        history.choices = n + 1


@kernel
def grown(score):
    """Return e to the power of `score` (float64, at most 0), by products alone: the same on every machine."""
    value = 1.0 + max(score, -20.0) / 256.0
    for _ in range(8):
        value *= value
    return value


@kernel
def share(rules, public, view, brain, choice):
    """Return how likely `team` takes `choice` of the decision in `view`: a softmax of its scores over unlike options."""
    if view.pending == CARD:
        view.options = unlike(rules, public, view)
        choice = stands_for(view.options, choice)
    if view.options & (view.options - ONE) == ZERO:
        return 1.0
    team.prepare(rules, public, view, brain)
    taken = dispatch.rate(rules, public, view, brain, choice)
    total = 0.0
    n = 0
    rest = view.options
    while rest != ZERO:
        option = lowest(rest)
        rest &= rest - ONE
        n += 1
        difference = (dispatch.rate(rules, public, view, brain, option) - taken) * PER_POINT
        # Above, the inverse: `grown` takes no positive numbers.
        total += 1.0 / grown(-difference) if difference > 0.0 else grown(difference)
    return (1.0 - DOUBT) / total + DOUBT / n


@kernel
def likelihood_of(rules, public, history, view, brain, index):
    """Return how likely choice `index` is with the imagined hand history.hand of its seat, `public` being the table then."""
    seat = history.seat[index]
    hand = history.hand[seat]
    view.pending = history.kind[index]
    view.seat = seat
    view.partner = history.partner[index]
    view.received = history.received[index]
    view.hand = hand
    choice = history.choice[index]
    options = history.options[index]
    if view.pending == CARD:
        options = play.legal(rules, public, seat, hand)
    elif view.pending == GIVEN or view.pending == RETURNED:
        options = (hand & ~rules.keeps[public.character[seat]]) | bit(choice)
    if options & bit(choice) == ZERO:
        return 1.0
    view.options = options
    for owner in range(public.seats):
        view.known[owner] = ZERO
    return share(rules, public, view, brain, choice)


@kernel
def exchanged(history, person, a, b, from_a, from_b):
    """Go back before cards passed between two seats: `from_a` (mask) from a to b, `from_b` from b to a."""
    if a != person and b != person:
        history.known[a] = 0
        history.known[b] = 0
    history.hand[a] = (history.hand[a] & ~from_b) | from_a
    history.hand[b] = (history.hand[b] & ~from_a) | from_b


@kernel
def likelihood(rules, public, privates, history, pasts, log, view, brain, person):
    """Return how likely the others' choices are in an imagined world, relative to other worlds (float64 above 0).

    privates: the imagined hands; log: what happened in the round; view: scratch; person: the seat that imagines.
    """
    weight = 1.0
    for seat in range(public.seats):
        history.hand[seat] = privates.hand[seat]
        # Nobody draws conclusions from what all can see, or from its own choices.
        hidden = seat != person and seat != public.pyramid and public.shown[seat] == ZERO
        history.known[seat] = 1 if hidden else 0
    view.prepared = -1
    index = history.choices - 1
    for row in range(log.rows - 1, -1, -1):
        event = log.row[row, 0]
        who = np.int64(log.row[row, 1])
        if event == LOG_PLAY:
            history.hand[who] |= log.row[row, 2]
        elif event == LOG_EXCHANGE:
            # The two choices are looked at on the way, the card returned first.
            partner = np.int64(log.row[row, 2])
            exchanged(history, person, partner, who, log.row[row, 4], ZERO)
            while index >= 0 and history.row[index] == row and history.kind[index] == RETURNED:
                if history.known[partner]:
                    weight *= likelihood_of(rules, pasts[index], history, view, brain, index)
                index -= 1
            exchanged(history, person, who, partner, log.row[row, 3], ZERO)
        elif event == LOG_GAVE:
            exchanged(history, person, who, np.int64(log.row[row, 2]), log.row[row, 3], ZERO)
        elif event == LOG_FETCHED:
            exchanged(history, person, who, np.int64(log.row[row, 2]), log.row[row, 3], log.row[row, 4])
        elif event == LOG_TOOK:
            history.hand[who] &= ~log.row[row, 2]
        elif not HARMLESS & bit(event):
            # Cards moved in a way that is not followed here.
            for other in range(public.seats):
                history.known[other] = 0
        while index >= 0 and history.row[index] >= row:
            kind = history.kind[index]
            asked = kind == CARD or kind == CHARACTER or kind == GIVEN
            if asked and history.row[index] == row and history.known[history.seat[index]]:
                weight *= likelihood_of(rules, pasts[index], history, view, brain, index)
            index -= 1
    return weight
