"""What a decision gets to see: the question, the person's own cards and knowledge, and what follows from the open table."""

from __future__ import annotations

import numpy as np

from sim.core.jit import inlined
from sim.tricks.engine import RETURNED, acting_seat
from sim.tricks.policies.judgement import JUDGEMENT
from sim.tricks.rules import SEATS
from sim.tricks.table import NOBODY

VIEW = np.dtype(
    [
        ("pending", np.int64),
        ("seat", np.int64),
        ("options", np.uint64),
        ("partner", np.int64),
        ("received", np.int64),
        ("hand", np.uint64),
        ("known", np.uint64, (SEATS,)),
        ("prepared", np.int64),
        ("trick", np.int64, (SEATS,)),
        ("wanted", np.uint64, (SEATS,)),
        ("card", np.int64, (SEATS,)),
        ("spare", np.int64, (SEATS,)),
        ("hated", np.uint64, (SEATS,)),
        ("inside", np.uint64, (SEATS,)),
        ("inside_value", np.int64, (SEATS,)),
        ("outside_value", np.int64, (SEATS,)),
        ("unseen", np.uint64),
        ("chance_best", np.int64),
        ("chance", np.float32, (SEATS,)),
        ("x", np.float32, (64,)),
        ("h", np.float32, (64,)),
        ("judgement", JUDGEMENT),
    ]
)
"""A decision as its person sees it.

pending: kind of decision (`sim.tricks.engine`); seat: the seat decided for; options: mask of what is allowed; partner: the
other seat of an exchange or gift, or -1; received: the card (slot) that a partner passed and now asks one back for, or -1;
hand: the person's own cards; known: cards known to lie with each seat. The rest is scratch that follows from the open
table (`sim.tricks.needs`), worked out once a trick (`prepared`), by seat: `trick`, points for winning the trick whatever is
in it; `wanted`, mask of cards whose winning brings `card` points each, of which `spare` may go to others before the goal is
lost; `hated`, cards that lose the goal; `inside`, a mask of which one card in the trick brings `inside_value`, none
`outside_value`. unseen: cards that the person cannot place; chance: how likely each seat wins the trick with the option
looked at (chance_best: the leading card it was worked out for); x, h: features and hidden units of `team`; judgement: scratch
of `script`.
"""


@inlined
def look(rules, public, privates, hidden, view):
    """Show the decision that is due to the person who takes it."""
    seat = hidden.actor
    person = public.controller[seat]
    view.pending = hidden.pending
    view.seat = seat
    view.options = hidden.options
    view.partner = hidden.partner
    view.received = NOBODY
    if hidden.pending == RETURNED:
        view.partner = acting_seat(rules, public, hidden)
        view.received = hidden.given
    view.hand = privates.hand[person]
    for owner in range(SEATS):
        view.known[owner] = privates.known[person, owner]
