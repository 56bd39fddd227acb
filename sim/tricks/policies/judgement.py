"""What a trick means to everybody's goal, and who will probably win it: the arithmetic under `script`'s rules of thumb.

A goal term is read once a trick (`weigh_goals`): what a trick is worth to the seat, which cards it collects, what it costs
when others take them, what a seat does with its high cards. Once a decision the table is added (`look_round`), and for an
option it is foreseen who wins (`foresee`). Points are integers; chances are in 1024ths. Only PUBLIC and VIEW are read.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, inlined, kernel
from sim.tricks import goals
from sim.tricks.rules import (
    ABSOLUTE,
    CARDS,
    DISTINCT_RANKS,
    FEWEST,
    KEPT_SUIT,
    LAST_CARD,
    LATE_TRICKS,
    LEADS,
    MOST,
    NO_LIMIT,
    OF_EACH_OTHER,
    OF_SELF,
    RANKS,
    RUN,
    SAME_RANK,
    SEATS,
    STREAK,
    TRICKS,
    TRICKS_WITH,
    TRICKS_WITHOUT,
)
from sim.tricks.table import NOBODY

# What a seat does with its high cards.
FREE = 0
"""Nothing more is asked of it."""
TAKER = 1
"""It needs tricks."""
COLLECTOR = 2
"""It needs cards that lie in tricks."""
COUNTER = 3
"""It needs tricks, but may not win too many."""
SHY = 4
"""It has won enough."""
LEAST = 5
"""It must win the fewest tricks."""
HOLDER = 6
"""It collects cards and holds the declaring card, which wins when it must."""

# Points of what a trick brings: tuned by playing (docs/policies.md).
NEED = 260
NEED_MORE = 700
LIFT = 60
SOFT = 40
FATAL = 280
FEW_SOFT = 16
FEW_HURT = 70
WANTED = 24
WANTED_MORE = 150
SOME_CARD = 32
ROB = 14
KILL = 500
HATED = 1300
# End of points.

CERTAIN = 1024
"""The chance of what is sure."""
UNWILLING = 200
"""How often a seat wins a trick that it could leave and that helps nobody, in 1024ths."""
SHARES = 33
MOST_CARDS = 16

JUDGEMENT = np.dtype(
    [
        ("trick", np.int64, (SEATS,)),
        ("mode", np.int64, (SEATS,)),
        ("wanted", np.uint64, (SEATS,)),
        ("card", np.int64, (SEATS,)),
        ("price", np.int64, (SEATS,)),
        ("hated", np.uint64, (SEATS,)),
        ("inside", np.uint64, (SEATS,)),
        ("gain", np.int64, (SEATS,)),
        ("kept", np.uint64, (SEATS,)),
        ("taboo", np.uint64, (SEATS,)),
        ("loved", np.uint64),
        ("hand", np.uint64),
        ("unseen", np.uint64),
        ("theirs", np.uint64),
        ("out", np.uint64),
        ("open", np.uint64, (SEATS,)),
        ("face_up", np.uint64),
        ("told", np.uint64),
        ("voids", np.uint64),
        ("own_mode", np.int64),
        ("later_seats", np.int64),
        ("later", np.int64, (SEATS,)),
        ("share", np.int64, (SEATS,)),
        ("worth", np.int64, (SEATS,)),
        ("chance", np.int64, (SEATS,)),
    ]
)
"""What a policy makes of the table; all of it follows from PUBLIC and VIEW.

Once a trick, by seat: trick: points for the group when the seat wins a trick of plain cards; mode: see above; wanted: the
cards it collects, each worth `card` points to it and losing `price` when another takes it; hated: cards that lose its goal;
inside: a mask of which any card in the trick brings `gain` points more; kept: cards one of which it wants to play last;
taboo: those that it must not lead. loved: all cards that matter to somebody. Once a decision: hand: the deciding seat's cards;
theirs: cards that matter, but not as
wanted ones of its own; unseen: cards that the person cannot place; out: all cards in
other hands; open: by seat, the cards to play that the person sees; face_up: cards that lie face up in hands; told:
cards known to lie with somebody; voids:
suits in which anybody showed a void; own_mode: the deciding seat's mode; later_seats, later: the seats that play after it;
worth: points when a seat takes what lies on the table. For an option: share: how likely a hidden card of the led suit lies
with each of those seats, in 32nds; chance: how likely a seat wins the trick, in 1024ths.
"""

_WINS = np.zeros(SHARES * MOST_CARDS, np.int64)
"""How likely a hand holds one of n cards at least (in 1024ths), by 16 * its share of the hidden cards + n."""
_HAS_TO = np.zeros(SHARES * MOST_CARDS * MOST_CARDS, np.int64)
"""How likely a hand beats a card that it would rather not, by 256 * share + 16 * cards out above + cards out below."""
for _share in range(SHARES):
    _without = [(1 - _share / (SHARES - 1)) ** n for n in range(MOST_CARDS)]
    for _n in range(MOST_CARDS):
        _WINS[_share * MOST_CARDS + _n] = round(CERTAIN * (1 - _without[_n]))
        for _m in range(MOST_CARDS):
            _errs = _without[_m] + (1 - _without[_m]) * UNWILLING / CERTAIN
            _HAS_TO[(_share * MOST_CARDS + _n) * MOST_CARDS + _m] = round(CERTAIN * (1 - _without[_n]) * _errs)
_PER = np.array([0] + [(1 << 14) // n + 1 for n in range(1, 129)], np.int64)
"""2 ** 14 divided by n: a division takes as long as all the rest of a look."""


@inlined
def part(amount, whole, of):
    """Return amount * whole // of for small numbers (of from 1 to 128), without a division."""
    return (amount * whole * _PER[of]) >> 14


@kernel
def _weigh_compared(public, j, seat, term, left):
    """Weigh a number of tricks that is compared with the others'."""
    won = public.tricks_won[seat]
    compare = public.compare[seat, term]
    strict = 1 - public.ties[seat, term]
    coming = max(1, public.tricks - public.trick)
    if compare == FEWEST:
        behind_after = 0
        behind = 0
        for other in range(public.seats):
            if other != seat:
                lag = won + strict - public.tricks_won[other]
                behind += max(0, lag)
                behind_after += max(0, lag + 1)
        for other in range(public.seats):
            if other != seat and public.tricks_won[other] < won + strict:
                # Whoever has too few tricks loses somebody else's goal.
                j.trick[other] += part(LIFT, behind, coming)
                if j.mode[other] == FREE:
                    j.mode[other] = TAKER
        if behind_after > coming - 1:
            j.trick[seat] -= FATAL
        else:
            j.trick[seat] -= FEW_SOFT + part(FEW_HURT, behind_after, coming)
        j.mode[seat] = LEAST
        return
    first = NOBODY
    last = NOBODY
    for other in range(public.seats):
        if other != seat:
            if first == NOBODY or public.tricks_won[other] > public.tricks_won[first]:
                first = other
            if last == NOBODY or public.tricks_won[other] <= public.tricks_won[last]:
                last = other
    most = public.tricks_won[first]
    least = public.tricks_won[last]
    if compare == MOST:
        gap = most + strict - won
        if gap > -coming:
            j.trick[seat] += NEED + part(NEED_MORE, max(0, min(gap, left)), left)
            j.mode[seat] = TAKER
        return
    # Between: one of the others goes ahead, one stays behind.
    if most <= won + 1:
        j.trick[first] += NEED // 2
    if least >= won - 1:
        j.trick[last] -= NEED // 2
    if won <= least:
        j.trick[seat] += NEED
        j.mode[seat] = COUNTER
    elif won + 1 >= most:
        j.trick[seat] -= NEED // 2
        j.mode[seat] = SHY


@inlined
def _collect(j, seat, cards, points, price):
    """Note that a seat wants the cards of a mask."""
    j.wanted[seat] |= cards
    j.card[seat] = max(j.card[seat], points)
    j.price[seat] = max(j.price[seat], price)
    if j.mode[seat] == FREE:
        j.mode[seat] = COLLECTOR


@kernel
def _weigh_of_many(public, j, seat, term, unseen):
    """Weigh a term that every (other) seat has to reach."""
    measure = public.measure[seat, term]
    low = public.low[seat, term]
    for other in range(public.seats):
        if other == seat and public.scope[seat, term] == OF_EACH_OTHER:
            continue
        if measure == TRICKS and public.tricks_won[other] < low:
            j.trick[other] += NEED
            if j.mode[other] == FREE:
                j.mode[other] = TAKER
        elif measure == CARDS:
            cards = public.term_cards[seat, term]
            if count(public.won[other] & cards) < low:
                _collect(j, other, cards & unseen, WANTED + WANTED_MORE // 2, 0)


@kernel
def _weigh_other(rules, public, j, seat, term, left):
    """Weigh a term of a rarer kind."""
    unseen = goals.unplayed(rules, public)
    measure = public.measure[seat, term]
    low = public.low[seat, term]
    high = public.high[seat, term]
    cards = public.term_cards[seat, term]
    won = public.tricks_won[seat]
    if public.scope[seat, term] != OF_SELF:
        _weigh_of_many(public, j, seat, term, unseen)
    elif measure == TRICKS:
        _weigh_compared(public, j, seat, term, left)
    elif measure == STREAK:
        j.mode[seat] = COUNTER
        if won >= high:
            j.mode[seat] = SHY
            j.trick[seat] -= HATED
        elif won > 0:
            # A streak goes on or is lost.
            j.trick[seat] += HATED
        else:
            j.trick[seat] += NEED if left <= low + 1 else SOFT
    elif measure == LATE_TRICKS:
        if public.counter[seat, term] < low:
            j.mode[seat] = TAKER
            if public.trick >= public.tricks - public.window[seat, term]:
                j.trick[seat] += NEED + part(NEED_MORE, 1, max(1, public.tricks - public.trick))
    elif measure == KEPT_SUIT:
        j.trick[seat] += SOFT
        j.mode[seat] = COLLECTOR
    elif measure == TRICKS_WITH:
        if public.counter[seat, term] < low:
            j.inside[seat] = cards
            j.gain[seat] = NEED + part(NEED_MORE, min(left, low - public.counter[seat, term]), left)
            if j.mode[seat] == FREE:
                j.mode[seat] = COLLECTOR
    elif measure == TRICKS_WITHOUT:
        if public.counter[seat, term] >= high:
            j.inside[seat] = cards
            j.gain[seat] = HATED
            j.trick[seat] -= HATED
    elif measure == CARDS and public.compare[seat, term] == FEWEST:
        j.inside[seat] = cards
        j.gain[seat] = -NEED
        mine = count(public.won[seat] & cards)
        for other in range(public.seats):
            if other != seat and count(public.won[other] & cards) < mine + 1 - public.ties[seat, term]:
                # Whoever has too few of them loses somebody else's goal.
                _collect(j, other, cards & unseen, WANTED + WANTED_MORE // 2, 0)
    elif measure == CARDS or measure == SAME_RANK:
        _collect(j, seat, cards & unseen, SOME_CARD, 0)
    elif measure == DISTINCT_RANKS or measure == RUN:
        for rank in range(RANKS):
            if public.won[seat] & cards & rules.rank_mask[rank]:
                cards &= ~rules.rank_mask[rank]
        _collect(j, seat, cards & unseen, SOME_CARD, 0)


@inlined
def _weigh_tricks(public, j, seat, term, left):
    """Weigh a number of tricks."""
    won = public.tricks_won[seat]
    lack = public.low[seat, term] - won
    high = public.high[seat, term]
    if won >= high:
        j.trick[seat] -= FATAL
        j.mode[seat] = SHY
    elif lack > 0:
        j.trick[seat] += NEED + part(NEED_MORE, min(lack, left), left)
        j.mode[seat] = COUNTER if high < NO_LIMIT else TAKER
    elif high < NO_LIMIT:
        j.trick[seat] -= SOFT
        j.mode[seat] = SHY


@inlined
def _weigh_cards(rules, public, j, seat, term):
    """Weigh a number of cards won."""
    cards = public.term_cards[seat, term]
    there = cards & goals.unplayed(rules, public)
    have = goals.cards_won(public, seat, cards)
    lack = public.low[seat, term] - have
    if lack > 0:
        number = max(1, count(there))
        points = WANTED + part(WANTED_MORE, min(lack, number), number)
        price = (ROB * points) >> 7
        if number <= lack:
            price += KILL
        _collect(j, seat, there, points, price)
    elif have >= public.high[seat, term]:
        j.hated[seat] |= there


@kernel
def weigh_goals(rules, public, view):
    """Work out what the trick in hand is worth to every seat: the same all through a trick."""
    j = view.judgement
    loved = ZERO
    for seat in range(SEATS):
        j.trick[seat] = 0
        j.mode[seat] = FREE
        j.wanted[seat] = ZERO
        j.card[seat] = 0
        j.price[seat] = 0
        j.hated[seat] = ZERO
        j.inside[seat] = ZERO
        j.gain[seat] = 0
        j.kept[seat] = ZERO
        j.taboo[seat] = ZERO
    for seat in range(public.seats):
        # The trick in hand counts as still to come for all.
        left = max(1, public.plays_left[seat] + (1 if public.trick_card[seat] != NOBODY else 0))
        for term in range(public.terms[seat]):
            measure = public.measure[seat, term]
            if public.compare[seat, term] != ABSOLUTE or public.scope[seat, term] != OF_SELF:
                _weigh_other(rules, public, j, seat, term, left)
            elif measure == TRICKS:
                _weigh_tricks(public, j, seat, term, left)
            elif measure == CARDS:
                _weigh_cards(rules, public, j, seat, term)
            elif measure == LAST_CARD:
                j.kept[seat] |= public.term_cards[seat, term]
            elif measure == LEADS:
                if count(public.led[seat] & public.term_cards[seat, term]) >= public.high[seat, term]:
                    j.taboo[seat] |= public.term_cards[seat, term]
            else:
                _weigh_other(rules, public, j, seat, term, left)
    for seat in range(public.seats):
        lender = public.lender[seat]
        if lender != NOBODY and j.card[seat] > 0:
            # Either of the two may win these.
            j.wanted[lender] |= j.wanted[seat] & public.lent[seat]
            j.card[lender] = max(j.card[lender], j.card[seat])
            j.price[seat] = 0
    for seat in range(public.seats):
        loved |= j.wanted[seat] | j.hated[seat] | j.inside[seat]
    j.loved = loved


@inlined
def weigh_table(j, cards):
    """Write to j.worth the points for the group when each seat wins a trick of `cards` (mask), less what all the others lose."""
    # Over all four places, taken or not, so that the loops are unrolled.
    if cards & j.loved:
        for seat in range(SEATS):
            points = j.trick[seat] + (j.card[seat] + j.price[seat]) * count(cards & j.wanted[seat])
            points -= HATED if cards & j.hated[seat] else 0
            j.worth[seat] = points + (j.gain[seat] if cards & j.inside[seat] else 0)
    else:
        for seat in range(SEATS):
            j.worth[seat] = j.trick[seat]


@inlined
def look_round(rules, public, view):
    """Work out what a decision's options share."""
    j = view.judgement
    me = view.seat
    seen = public.played | public.lost | public.in_trick | view.hand
    face_up = ZERO
    told = ZERO
    voids = ZERO
    # Over all four places, taken or not, so that the loop is unrolled.
    for seat in range(SEATS):
        face_up |= public.shown[seat]
        told |= view.known[seat]
        voids |= public.voids[seat]
        j.open[seat] = public.shown[seat]
    if public.pyramid != NOBODY:
        j.open[public.pyramid] = public.uncovered
    j.unseen = rules.deck & ~(seen | face_up | told)
    j.told = told & ~seen
    j.face_up = face_up
    j.voids = voids
    j.hand = public.shown[me] if public.shown[me] else view.hand
    if me == public.pyramid:
        # Its person knows the own hand.
        j.open[public.controller[me]] = view.hand
    j.out = rules.deck & ~(public.played | public.lost | public.in_trick | j.hand)
    leader = public.leader if public.led_suit != NOBODY else me
    later = 0
    other = me
    for index in range(SEATS):
        other = other + 1 if other + 1 < public.seats else 0
        if other == leader or index + 1 >= public.seats:
            break
        if public.plays_left[other] > 0:
            j.later[later] = other
            later += 1
    j.later_seats = later
    for index in range(SEATS):
        j.share[index] = 0
    j.own_mode = j.mode[me]
    if j.own_mode == COLLECTOR and j.hand & rules.declaring:
        j.own_mode = HOLDER
    j.theirs = j.loved & ~j.wanted[me]
    weigh_table(j, public.in_trick)
    share_out(public, view, ZERO)


@inlined
def share_out(public, view, suit):
    """Write to j.share how likely a hidden card of `suit` (mask) lies with each later seat: hands that showed a void lack it."""
    j = view.judgement
    hidden = count(j.unseen)
    if j.voids & suit:
        for seat in range(public.seats):
            if public.voids[seat] & suit and public.shown[seat] == ZERO:
                hidden -= public.cards_left[seat]
    per = _PER[max(1, hidden)]
    for index in range(j.later_seats):
        seat = j.later[index]
        j.share[index] = 0 if public.voids[seat] & suit else min(32, (public.cards_left[seat] * per) >> 9)


@inlined
def foresee(public, view, best, winner, suit):
    """Write to j.chance how likely each seat wins when `best` leads for `winner`; return the points expected, times 4.

    suit: mask of the led suit. A later seat that can beat the card does so when that brings more points, else only as far
    as it has nothing lower, or errs. Face-up and known cards count fully; hidden ones by share.
    """
    j = view.judgement
    above = suit & ~((bit(best) << ONE) - ONE)
    below = suit & (bit(best) - ONE)
    higher = min(MOST_CARDS - 1, count(above & j.unseen))
    lower = min(MOST_CARDS - 1, count(below & j.unseen))
    for seat in range(SEATS):
        j.chance[seat] = 0
    stays = CERTAIN
    points = 0
    here = j.worth[winner]
    told = (j.told & suit) | j.face_up
    # Absent seats have no share: a loop of one length is faster than one that ends anywhere.
    for index in range(SEATS - 1):
        other = j.later[index]
        there = j.worth[other]
        at = MOST_CARDS * j.share[index] + higher
        if told and index < j.later_seats and (j.open[other] | view.known[other]):
            wins = _beats_openly(view, other, above, below, at, at - higher + lower, there > here)
        else:
            wins = _HAS_TO[MOST_CARDS * at + lower]
            freely = _WINS[at]
            wins = freely if there > here else wins
        wins = (wins * stays) >> 10
        j.chance[other] += wins
        stays -= wins
        points += wins * there
    j.chance[winner] += stays
    return (points + stays * here) >> 8


@kernel
def _beats_openly(view, other, above, below, at, at_lower, willing):
    """Return the chance that a seat beats a card, given what is known of its hand; `at`, `at_lower`: places in _WINS."""
    cards = view.judgement.open[other]
    if cards:
        wins = CERTAIN if cards & above else 0
        has_lower = CERTAIN if cards & below else 0
    else:
        cards = view.known[other]
        wins = CERTAIN if cards & above else _WINS[at]
        has_lower = CERTAIN if cards & below else _WINS[at_lower]
    if willing:
        return wins
    return (wins * (CERTAIN * CERTAIN - has_lower * (CERTAIN - UNWILLING))) >> 20
