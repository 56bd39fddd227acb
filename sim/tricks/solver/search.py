"""Depth-first search over whole tricks, restarted with other luck, that remembers which positions are lost.

A node is a position between two tricks. From each, every trick that can be played is listed (of interchangeable cards
one, the 1 of Rings with and without being declared, after each choice that may come before a trick), best first by
`order.weigh`; the table is moved on by the engine's own kernels, and `bounds.judge` prunes: a position is left as soon as
one goal is lost for good. Dives begin short and
grow: chance in the order of tricks gets out of a bad beginning sooner than turning back trick by trick does. What a dive
has proved lost stays so for all later ones.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, inlined, kernel, lowest
from sim.core.random import draw32
from sim.tricks import play, tricks
from sim.tricks.rules import NO_TEST, SEATS, TEST_SUM
from sim.tricks.solver.bounds import asked_for, find_futures, judge
from sim.tricks.solver.canonical import find_roles, mix, position_key, representatives
from sim.tricks.solver.opening import CHOICE_BITS, CHOICES, decide, is_due, lay_open
from sim.tricks.solver.order import points, weigh
from sim.tricks.table import HIDDEN, NOBODY, PRIVATES, PUBLIC, at_left

UNKNOWN = 0
WON = 1
LOST = 2

LEVELS = 24
"""Most tricks of a round that the solver plays; a longer round is `unknown`."""
WIDTH = 8192
"""Most ways of playing one trick that a node keeps; a position with more can be won, but is never called lost."""
TABLE_BITS = 17
FIRST_DIVE = 64
"""Nodes of the first dive."""
GROWTH = 32
"""Each later dive gets one in so many more."""
ENTRY = 0xFFFFFFFF
"""The part of an entry of `list_tricks` that tells the trick."""
NOISE = 240
"""Points up to which chance adds to a trick in all dives but the first."""
DECLARED = 64
"""Added to the slot of a card that is played and declared."""

WORK = np.dtype(
    [
        ("open_goals", np.uint64),
        ("special", np.uint64),
        ("role", np.uint64, (64,)),
        ("future", np.uint64, (SEATS,)),
        ("claimed", np.uint64, (SEATS,)),
        ("trick", np.int64, (SEATS,)),
        ("wanted", np.uint64, (SEATS,)),
        ("card", np.int64, (SEATS,)),
        ("loss", np.int64, (SEATS,)),
        ("spare", np.int64, (SEATS,)),
        ("hated", np.uint64, (SEATS,)),
        ("inside", np.uint64, (SEATS,)),
        ("inside_value", np.int64, (SEATS,)),
        ("outside_value", np.int64, (SEATS,)),
        ("keep", np.uint64, (SEATS,)),
        ("need", np.int64, (SEATS,)),
        ("shed", np.int64, (64,)),
        ("playable", np.uint64, (SEATS,)),
        ("untried", np.int64, (LEVELS + 1,)),
        ("cut", np.int64, (LEVELS + 1,)),
        ("key", np.uint64, (LEVELS + 1,)),
        ("due", np.int64, (LEVELS + 1,)),
        ("least", np.int64, (SEATS,)),
        ("most", np.int64, (SEATS,)),
        ("asked", np.int64, (LEVELS,)),
        ("brought", np.int64, (LEVELS,)),
        ("line", np.int64, (LEVELS, SEATS)),
        ("untuck", np.int64, (LEVELS,)),
        ("named", np.int64, (LEVELS,)),
        ("first_trick", np.int64),
        ("nodes", np.int64),
        ("salt", np.uint64),
    ]
)
"""Scratch of a search: roles and points of the position at hand; tricks that each seat wins at least and at most, sums that are
asked for and brought at most; by level the number of tricks still to try, whether some were cut off, the position's key,
whether there is something to decide before its trick; the line played (slots, plus DECLARED; -1: the seat does not play), and
what was chosen before its tricks."""


class Memory:
    """What a search writes to, allocated once for many deals: tables by level, tricks to try, positions known to be lost."""

    def __init__(self) -> None:
        self.public = np.zeros(LEVELS + 2, PUBLIC).view(np.recarray)
        self.privates = np.zeros(LEVELS + 2, PRIVATES).view(np.recarray)
        self.hidden = np.zeros(LEVELS + 2, HIDDEN).view(np.recarray)
        self.work = np.zeros(1, WORK).view(np.recarray)[0]
        self.tries = np.zeros((LEVELS, WIDTH), np.int64)
        self.lost = np.zeros(1 << TABLE_BITS, np.uint64)


@inlined
def _sift_down(heap, start, size):
    value = heap[start]
    place = start
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value


@kernel
def _heapify(heap, size):
    for start in range(size // 2 - 1, -1, -1):
        _sift_down(heap, start, size)


@kernel
def _pop(heap, size):
    """Return the greatest entry of a heap of `size` entries and close the gap."""
    top = heap[0]
    heap[0] = heap[size - 1]
    _sift_down(heap, 0, size - 1)
    return top


@kernel
def list_tricks(rules, public, privates, hidden, work, level, way, tries, noise, salt):
    """Add every trick that can be played on the table to `tries`; what comes before it is settled, by the choices `way`.

    An entry is its points in the upper 32 bits, below them the slots by order of play (6 bits each), the seat that declares
    plus one (3 bits) and the way.
    """
    seats = public.seats
    held = ZERO
    for seat in range(seats):
        held |= work.future[seat] | privates.hand[seat]
    order_0 = NOBODY
    order_1 = NOBODY
    order_2 = NOBODY
    order_3 = NOBODY
    players = 0
    ahead = NOBODY
    for step in range(seats):
        seat = at_left(public.leader, step, seats)
        if public.trick_card[seat] != NOBODY:
            ahead = seat
            continue
        if public.plays_left[seat] == 0:
            continue
        hand = privates.hand[seat]
        open_cards = public.uncovered if seat == public.pyramid else hand
        work.playable[seat] = representatives(rules, work, open_cards, held & ~hand)
        if players == 0:
            order_0 = seat
        elif players == 1:
            order_1 = seat
        elif players == 2:
            order_2 = seat
        else:
            order_3 = seat
        players += 1
    asked = 0
    if rules.reveal_test:
        asked = asked_for(rules, public, hidden, 0)
    size = work.untried[level]
    led_suit = public.led_suit
    first = ONE
    if players > 0:
        first = play.legal(rules, public, order_0, privates.hand[order_0]) & work.playable[order_0]
    while first != ZERO:
        slot_0 = lowest(first)
        first &= first - ONE
        if led_suit == NOBODY:
            public.led_suit = rules.suit_of[slot_0]
        suit_cards = rules.suit_mask[public.led_suit]
        legal_1 = ONE
        legal_2 = ONE
        legal_3 = ONE
        if players > 1:
            legal_1 = play.legal(rules, public, order_1, privates.hand[order_1]) & work.playable[order_1]
        if players > 2:
            legal_2 = play.legal(rules, public, order_2, privates.hand[order_2]) & work.playable[order_2]
        if players > 3:
            legal_3 = play.legal(rules, public, order_3, privates.hand[order_3]) & work.playable[order_3]
        rest_1 = legal_1
        while rest_1 != ZERO:
            slot_1 = lowest(rest_1)
            rest_1 &= rest_1 - ONE
            rest_2 = legal_2
            while rest_2 != ZERO:
                slot_2 = lowest(rest_2)
                rest_2 &= rest_2 - ONE
                rest_3 = legal_3
                while rest_3 != ZERO:
                    slot_3 = lowest(rest_3)
                    rest_3 &= rest_3 - ONE
                    cards = public.in_trick
                    value = 0
                    entry = way << 27
                    if players > 0:
                        cards |= bit(slot_0)
                        value += work.shed[slot_0]
                        entry |= slot_0
                    if players > 1:
                        cards |= bit(slot_1)
                        value += work.shed[slot_1]
                        entry |= slot_1 << 6
                    if players > 2:
                        cards |= bit(slot_2)
                        value += work.shed[slot_2]
                        entry |= slot_2 << 12
                    if players > 3:
                        cards |= bit(slot_3)
                        value += work.shed[slot_3]
                        entry |= slot_3 << 18
                    if rules.reveal_test == TEST_SUM and _sum_of(rules, cards) < asked:
                        # It would fail everybody.
                        continue
                    best = play.strongest(rules, cards, suit_cards)
                    winner = ahead
                    if best == slot_0 and players > 0:
                        winner = order_0
                    elif best == slot_1 and players > 1:
                        winner = order_1
                    elif best == slot_2 and players > 2:
                        winner = order_2
                    elif best == slot_3 and players > 3:
                        winner = order_3
                    if rules.reveal_test != NO_TEST and rules.reveal_test != TEST_SUM and rules.rank_of[best] < asked:
                        winner = NOBODY
                    declarer = NOBODY
                    if public.declared != NOBODY:
                        winner = public.declared
                    elif cards & rules.declaring:
                        for seat in range(seats):
                            if privates.hand[seat] & rules.declaring:
                                declarer = seat
                        if declarer == NOBODY and rules.declare_after:
                            declarer = ahead
                    for turn in range(2):
                        if turn == 1:
                            if declarer == NOBODY or declarer == winner:
                                break
                            winner = declarer
                            entry |= (declarer + 1) << 24
                        score = value + points(public, work, winner, cards)
                        if noise > 0:
                            score += np.int64(mix(salt ^ np.uint64(entry)) & np.uint64(0xFFFF)) * noise >> 16
                        if size == WIDTH:
                            work.cut[level] = 1
                        else:
                            tries[size] = (score << 32) | entry
                            size += 1
    public.led_suit = led_suit
    work.untried[level] = size


@inlined
def _sum_of(rules, cards):
    """Return what the ranks of the cards of a trick add up to."""
    total = 0
    while cards != ZERO:
        total += rules.rank_of[lowest(cards)]
        cards &= cards - ONE
    return total


@kernel
def play_trick(rules, public, privates, hidden, work, level, entry, log):
    """Play the trick of an entry from `list_tricks` and note it in the line."""
    if work.due[level]:
        if decide(rules, public, privates, hidden, work, level, (entry >> 27) & (CHOICES - 1), log):
            decide(rules, public, privates, hidden, work, level, (entry >> (27 + CHOICE_BITS)) & (CHOICES - 1), log)
    place = 0
    leader = public.leader
    for seat in range(SEATS):
        work.line[level, seat] = NOBODY
    for step in range(public.seats):
        seat = at_left(leader, step, public.seats)
        if public.plays_left[seat] == 0 or public.trick_card[seat] != NOBODY:
            continue
        slot = (entry >> (6 * place)) & 63
        place += 1
        work.line[level, seat] = slot
        tricks.lay(rules, public, privates, hidden, seat, slot)
    declarer = ((entry >> 24) & 7) - 1
    if declarer >= 0:
        public.declared = declarer
        # (The card that was played ahead is no part of the line.)
        work.line[level, declarer] = max(work.line[level, declarer], 0) + DECLARED
    tricks.end_trick(rules, public, privates, hidden, log)
    hidden.between = 0


@kernel
def enter(rules, public, privates, hidden, work, level, tries, noise, source, log):
    """List the tricks to try from the position at a level, as a heap, best first; see `is_due` for where its table stands."""
    salt = draw32(source) if noise > 0 else ZERO
    work.untried[level] = 0
    work.cut[level] = 0
    if not work.due[level]:
        weigh(rules, public[level], privates[level], hidden[level], work)
        list_tricks(rules, public[level], privates[level], hidden[level], work, level, 0, tries, noise, salt)
    else:
        spare = LEVELS + 1
        options = hidden[level].options
        while options != ZERO:
            choice = lowest(options)
            options &= options - ONE
            for next_choice in range(CHOICES):
                public[spare] = public[level]
                privates[spare] = privates[level]
                hidden[spare] = hidden[level]
                again = decide(rules, public[spare], privates[spare], hidden[spare], work, level, choice, log)
                if again:
                    if not hidden[spare].options & bit(next_choice):
                        continue
                    decide(rules, public[spare], privates[spare], hidden[spare], work, level, next_choice, log)
                way = choice | next_choice << CHOICE_BITS
                weigh(rules, public[spare], privates[spare], hidden[spare], work)
                list_tricks(
                    rules, public[spare], privates[spare], hidden[spare], work, level, way, tries, noise, salt
                )  # fmt: skip
                if not again:
                    break
    _heapify(tries, work.untried[level])


@inlined
def is_won(rules, public, hidden):
    """Return whether all goals are met for good."""
    # Where each trick may fail everybody, they are not before the last one.
    return hidden.met == public.seats and (rules.reveal_test != TEST_SUM or public.trick == public.tricks)


@kernel
def solve(rules, public, privates, hidden, work, tries, lost, budget, source, log):
    """Decide the position at level 0 (between two tricks); returns (verdict, tricks in `work.line`).

    public, privates, hidden: arrays of LEVELS + 2 tables; `tries`, `lost`: as in Memory; `budget`: nodes in all dives;
    `source`: luck for the order of tricks. All goals are sealed as met at the end of a line that wins.
    """
    work.nodes = 0
    work.first_trick = public[0].trick
    work.open_goals = ZERO
    if public[0].tricks - public[0].trick > LEVELS:
        return UNKNOWN, 0
    lay_open(rules, public[0], privates[0], hidden[0])
    find_futures(public[0], privates[0], hidden[0], work)
    if public[0].in_trick == ZERO:
        # (With a card that was played ahead on the table, bounds mean nothing.)
        judge(rules, public[0], privates[0], hidden[0], work)
    if hidden[0].failed > 0:
        return LOST, 0
    if is_won(rules, public[0], hidden[0]):
        return WON, 0
    work.due[0] = is_due(rules, public[0], privates[0], hidden[0], log)
    mask = np.uint64(lost.shape[0] - 1)
    limit = np.int64(FIRST_DIVE)
    noise = np.int64(0)
    while work.nodes < budget:
        # A dive from the first position.
        end = min(work.nodes + limit, budget)
        level = np.int64(0)
        find_roles(rules, public[0], hidden[0], work)
        find_futures(public[0], privates[0], hidden[0], work)
        enter(rules, public, privates, hidden, work, level, tries[0], noise, source, log)
        while True:
            if work.untried[level] == 0:
                # Everything was tried: the position is lost, unless something was cut off here or below.
                if level == 0:
                    return (UNKNOWN if work.cut[0] else LOST), 0
                if work.cut[level] == 0:
                    lost[work.key[level] & mask] = work.key[level] ^ work.salt
                level -= 1
                work.cut[level] |= work.cut[level + 1]
                continue
            if work.nodes == end:
                break
            entry = _pop(tries[level], work.untried[level]) & ENTRY
            work.untried[level] -= 1
            work.nodes += 1
            public[level + 1] = public[level]
            privates[level + 1] = privates[level]
            hidden[level + 1] = hidden[level]
            play_trick(rules, public[level + 1], privates[level + 1], hidden[level + 1], work, level, entry, log)
            judge(rules, public[level + 1], privates[level + 1], hidden[level + 1], work)
            if hidden[level + 1].failed > 0:
                continue
            if is_won(rules, public[level + 1], hidden[level + 1]):
                return WON, level + 1
            find_roles(rules, public[level + 1], hidden[level + 1], work)
            key = position_key(rules, public[level + 1], privates[level + 1], hidden[level + 1], work)
            if lost[key & mask] == key ^ work.salt:
                continue
            level += 1
            work.key[level] = key
            work.due[level] = is_due(rules, public[level], privates[level], hidden[level], log)
            enter(rules, public, privates, hidden, work, level, tries[level], noise, source, log)
        limit += limit // GROWTH
        noise = np.int64(NOISE)
    return UNKNOWN, 0
