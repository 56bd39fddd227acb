"""What a decision gets to see: the question, the person's own cards and knowledge, and what follows from the open table."""

from __future__ import annotations

import numpy as np

from sim.core.jit import ZERO, bit, inlined, kernel
from sim.tricks import events
from sim.tricks.decisions import RETURNED, acting_seat
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
        ("out", np.uint64),
        ("tucked", np.uint64),
        ("face_down", np.uint64),
        ("threat", np.int64, (SEATS,)),
        ("way", np.int64, (SEATS,)),
        ("prepared", np.int64),
        ("trick", np.int64, (SEATS,)),
        ("wanted", np.uint64, (SEATS,)),
        ("card", np.int64, (SEATS,)),
        ("spare", np.int64, (SEATS,)),
        ("urgent", np.uint64, (SEATS,)),
        ("hated", np.uint64, (SEATS,)),
        ("inside", np.uint64, (SEATS,)),
        ("inside_value", np.int64, (SEATS,)),
        ("outside_value", np.int64, (SEATS,)),
        ("unseen", np.uint64),
        ("held", np.uint64),
        ("chance_best", np.int64),
        ("chance", np.int64, (SEATS,)),
        ("expected_best", np.int64),
        ("expected", np.int64, (9,)),
        ("need", np.int64, (SEATS,)),
        ("fatal", np.int64, (SEATS,)),
        ("soft", np.int64, (SEATS,)),
        ("value", np.int64, (SEATS,)),
        ("idle", np.int64, (SEATS,)),
        ("within", np.int64, (SEATS,)),
        ("without", np.int64, (SEATS,)),
        ("any_wanted", np.uint64),
        ("any_inside", np.int64),
        ("named_by_goals", np.uint64),
        ("table_winner", np.int64),
        ("special", np.uint64),
        ("clock", np.int64),
        ("masters", np.int64),
        ("later_seats", np.int64),
        ("later", np.int64, (SEATS,)),
        ("needy", np.int64),
        ("needy_seat", np.int64),
        ("kinds", np.uint64, (2,)),
        ("shy", np.int64),
        ("keep", np.uint64),
        ("keeps", np.int64),
        ("shunned", np.uint64),
        ("lapses", np.int64),
        ("short", np.int64),
        ("ranks_count", np.int64),
        ("named", np.uint64, (3,)),
        ("best", np.int64),
        ("winner", np.int64),
        ("sight", np.uint64, (SEATS,)),
        ("in_sight", np.uint64),
        ("stakes", np.int64, (SEATS,)),
        ("will", np.int64, (SEATS,)),
        ("likely", np.int64),
        ("foreseen", np.int64),
        ("lead_of", np.int64),
        ("lacking", np.int64),
        ("x", np.int16, (96,)),
        ("judgement", JUDGEMENT),
    ]
)
"""A decision as its person sees it.

pending: kind of decision (`sim.tricks.engine`); seat: the seat decided for; options: mask of what is allowed; partner: the
other seat of an exchange or gift, or -1; received: the card (slot) that a partner passed and now asks one back for, or -1;
hand: the person's own cards; known: cards known to lie with each seat; out: cards known to lie out of the round; tucked,
face_down: the person's own card (mask) under its character, and the one that it has played face down; threat, way: threats
and declarations of the person's own seats that the others do not see (0: none). The rest is scratch that follows from the open
table (`sim.tricks.needs`), worked out once a trick (`prepared`), by seat: `trick`, points for winning the trick whatever is
in it; `wanted`, mask of cards whose winning brings `card` points each, of which `spare` may go to others before the goal is
lost; `urgent`, those of which none may; `hated`, cards that lose the goal; `inside`, a mask of which one card in the trick brings
`inside_value`, none `outside_value`. unseen: cards that the person cannot place.

Scratch of `team` (`sim.tricks.policies.features`, in units of 1/128): held: the hand decided for; chance: how likely each seat
wins the trick with the option looked at, worked out for the leading card chance_best; expected_best: the leading card that the
features of the trick stand for; expected: properties of a hand that a character is chosen for; by seat need, fatal, soft,
value, idle, within, without: what `needs` says as features; any_wanted, special: cards that some goal wants, or asks about;
any_inside: whether a goal asks what lies in a trick; named_by_goals: cards that some goal tells from others; table_winner:
whose card leads the trick so far; clock: share of the round played; masters: cards in hand that no unseen one beats; later,
later_seats: who plays after the seat; needy, needy_seat: the other that needs the trick most, and how much; shy: how much the
seat must not win; keep, keeps: cards of the hand of which one should stay to the end, and whether its goal asks for one;
shunned: cards that it must not lead; lapses: whether nobody would win the trick; short: what it lacks of the sum that is asked
for; ranks_count: whether a goal asks for ranks; kinds, named: kinds of goals and named cards of both seats of an exchange;
best, winner: the card that leads with the option looked at, and whose it is; by seat sight, the cards that it may play as far
as the person sees them, stakes, what winning the trick is worth to the group whatever lies in it, will, how likely it wins when
whoever can take the trick does so only where that is worth more; likely: who probably wins it; foreseen: the leading card that
this was worked out for; lead_of: the next leader that was looked at; lacking: tricks that all seats still need; in_sight: the
cards that the person sees in other hands than the one decided for; x: features. judgement: scratch of `script`.
"""


@kernel
def look_aside(rules, public, privates, hidden, view, person):
    """Show what only some rounds have: cards outside hands, hidden threats; the person's own goals stand in `public` then."""
    view.out = privates.out[person]
    view.tucked = ZERO
    view.face_down = ZERO
    if public.tucked != NOBODY and public.controller[public.tucked] == person:
        view.tucked = bit(privates.tucked)
    if hidden.blind_card != NOBODY and public.controller[public.blind] == person:
        view.face_down = bit(hidden.blind_card)
    for seat in range(SEATS):
        view.threat[seat] = 0
        view.way[seat] = 0
    if rules.secret_roles | rules.secret_ways != ZERO or rules.curse_hides > 0:
        for seat in range(public.seats):
            if public.secret & bit(seat) and public.controller[seat] == person:
                view.way[seat] = privates.way[seat]
                if not public.untold & bit(seat):
                    view.threat[seat] = privates.threat[seat]
        if public.tricks > 0:
            events.tell(rules, public, privates, person)
        # Needs that were worked out for another person know another person's goals.
        view.prepared = NOBODY


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
        view.partner = public.fetcher if hidden.fetching else acting_seat(rules, public, hidden)
        view.received = hidden.given
    view.hand = privates.hand[person]
    for owner in range(SEATS):
        view.known[owner] = privates.known[person, owner]
    if rules.look_aside:
        look_aside(rules, public, privates, hidden, view, person)


@kernel
def sees_hand(public, view, seat):
    """Return whether the deciding person knows all cards of a seat: its own hand, or a solo hand lying open."""
    return seat == public.controller[view.seat] or (seat != public.pyramid and public.shown[seat] != ZERO)
