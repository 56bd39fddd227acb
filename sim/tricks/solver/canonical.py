"""When two cards, or two positions, are the same for every goal.

Two cards of a hand are interchangeable when no unplayed card of another hand lies between them in their suit and every
goal still open treats them alike, and so does what will be turned up for the tricks to come. A position's key takes from it
only what matters to the rest: per suit, in the order of ranks, whose cards are left and what they are to open goals; who
leads; and how far each open goal has come. Suits that goals treat alike may so change places. Keys are 64-bit hashes: two
positions share one by accident in about one of 10**9 solved deals, at a budget of 10**5 nodes.
"""

from __future__ import annotations

import numpy as np

from sim.core.jit import ONE, ZERO, bit, count, inlined, kernel, lowest
from sim.tricks import goals
from sim.tricks.rules import (
    ABSOLUTE,
    CARDS,
    DISTINCT_RANKS,
    KEPT_SUIT,
    LEADS,
    NO_LIMIT,
    OF_SELF,
    RUN,
    SAME_RANK,
    SEATS,
    STREAK,
    TERMS,
    TEST_SUM,
    TEST_WINNER,
    TRICKS,
)
from sim.tricks.solver.bounds import asked_for
from sim.tricks.table import MET, NOBODY
from sim.tricks.tricks import cards_aside

# Bits of a card's role; below them one bit for each term of each seat.
_RANK = np.uint64(16)
_SUIT = np.uint64(24)
_SPECIAL = np.uint64(32)
_LENT = np.uint64(34)
_PLACE = np.uint64(40)
_CLASS = np.uint64(48)
_TRUMP = np.uint64(56)
_UNDRAWN = np.uint64(SEATS + 1)

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_30 = np.uint64(30)
_27 = np.uint64(27)
_31 = np.uint64(31)


@inlined
def mix(word):
    """Return a 64-bit hash of a word (the finalizer of SplitMix64)."""
    word += _ODD
    word = (word ^ (word >> _30)) * _MIX_A
    word = (word ^ (word >> _27)) * _MIX_B
    return word ^ (word >> _31)


@kernel
def find_roles(rules, public, hidden, work):
    """Write into the record `work` what every card is to the goals that are open: `role` by slot, `special`: cards with one."""
    open_goals = ZERO
    for seat in range(public.seats):
        if hidden.verdict[seat] != MET:
            open_goals |= bit(seat)
    if open_goals == work.open_goals and public.pyramid == NOBODY and rules.reveal_test != TEST_WINNER:
        return
    work.open_goals = open_goals
    work.special = ZERO
    by_rank = ZERO
    by_suit = False
    for slot in range(64):
        work.role[slot] = ZERO
    for seat in range(public.seats):
        if hidden.verdict[seat] == MET:
            continue
        for term in range(public.terms[seat]):
            cards = public.term_cards[seat, term]
            measure = public.measure[seat, term]
            if measure == KEPT_SUIT:
                by_suit = True
            if measure == DISTINCT_RANKS or measure == SAME_RANK or measure == RUN:
                by_rank |= cards
            work.special |= cards
            mark = ONE << np.uint64(seat * TERMS + term)
            while cards != ZERO:
                work.role[lowest(cards)] |= mark
                cards &= cards - ONE
        lent = public.lent[seat] if public.lender[seat] != NOBODY else ZERO
        work.special |= lent
        while lent != ZERO:
            work.role[lowest(lent)] |= ONE << (_LENT + np.uint64(seat))
            lent &= lent - ONE
    fixed = rules.locked | rules.declaring | rules.trumps | by_rank
    if rules.reveal_test == TEST_SUM:
        by_rank = rules.deck
    if by_suit or rules.reveal_test:
        fixed = rules.deck
    work.special |= fixed
    while fixed != ZERO:
        slot = lowest(fixed)
        fixed &= fixed - ONE
        if by_suit:
            work.role[slot] |= np.uint64(rules.suit_of[slot] + 1) << _SUIT
        if by_rank & bit(slot):
            work.role[slot] |= np.uint64(rules.rank_of[slot] + 1) << _RANK
        if rules.locked & bit(slot):
            work.role[slot] |= ONE << _SPECIAL
        if rules.declaring & bit(slot):
            work.role[slot] |= ONE << (_SPECIAL + ONE)
        if rules.trumps & bit(slot):
            work.role[slot] |= ONE << _TRUMP
    if rules.reveal_test == TEST_WINNER:
        _compare(rules, public, hidden, work)
    if public.pyramid != NOBODY:
        # A card that covers another is not like one that does not: its place counts.
        for upper in range(rules.pyramid):
            if hidden.slot_card[upper] == NOBODY:
                continue
            for lower in range(upper):
                card = hidden.slot_card[lower]
                if card != NOBODY and rules.pyramid_cover[upper] & bit(lower):
                    for one in (upper, lower):
                        slot = hidden.slot_card[one]
                        work.special |= bit(slot)
                        work.role[slot] |= np.uint64(one + 1) << _PLACE


@kernel
def _compare(rules, public, hidden, work):
    """Add to the roles which of the cards still to be turned up a card is no lower than."""
    asked = ZERO
    for later in range(public.tricks - public.trick):
        asked |= bit(min(asked_for(rules, public, hidden, later), 63))
    rest = rules.deck
    while rest != ZERO:
        slot = lowest(rest)
        rest &= rest - ONE
        work.role[slot] |= np.uint64(count(asked & (bit(rules.rank_of[slot] + 1) - ONE))) << _CLASS


@kernel
def representatives(rules, work, playable, others):
    """Return one card (the lowest) of every set of interchangeable cards of the mask `playable`.

    others: the unplayed cards that lie in no hand but others'.
    """
    found = ZERO
    run = ZERO
    suit = NOBODY
    before = ZERO
    rest = playable
    while rest != ZERO:
        card = rest & (~rest + ONE)
        rest &= ~card
        slot = lowest(card)
        between = (card - ONE) & ~((before << ONE) - ONE) if before != ZERO else ZERO
        if rules.suit_of[slot] != suit or others & between != ZERO:
            run = ZERO
            suit = rules.suit_of[slot]
        before = card
        new = True
        same = run
        while same != ZERO:
            if work.role[lowest(same)] == work.role[slot]:
                new = False
                break
            same &= same - ONE
        if new:
            found |= card
            run |= card
    return found


@kernel
def _progress(rules, public, hidden):
    """Return a hash of how far the open goals have come."""
    total = ZERO
    by_tricks = False
    for seat in range(public.seats):
        if hidden.verdict[seat] == MET:
            continue
        for term in range(public.terms[seat]):
            measure = public.measure[seat, term]
            cards = public.term_cards[seat, term]
            word = ZERO
            if measure == STREAK:
                word = np.uint64(public.tricks_won[seat] * 4 + public.streak_broken[seat] * 2 + (public.last_winner == seat))
            elif measure == DISTINCT_RANKS or measure == SAME_RANK or measure == RUN:
                word = public.won[seat] & cards
            elif measure == KEPT_SUIT:
                for suit in range(rules.suits):
                    word = word * np.uint64(64) + np.uint64(count(public.won[seat] & rules.suit_mask[suit]))
            elif public.scope[seat, term] != OF_SELF or public.compare[seat, term] != ABSOLUTE:
                if measure == TRICKS:
                    by_tricks = True
                else:
                    for other in range(public.seats):
                        word = word * np.uint64(64) + np.uint64(count(public.won[other] & cards))
            else:
                have = public.counter[seat, term]
                if measure == TRICKS:
                    have = public.tricks_won[seat]
                elif measure == CARDS:
                    have = goals.cards_won(public, seat, cards)
                elif measure == LEADS:
                    have = count(public.led[seat] & cards)
                if public.high[seat, term] == NO_LIMIT:
                    have = min(have, max(0, public.low[seat, term]))
                word = np.uint64(have)
            total += mix(word ^ (np.uint64(seat * TERMS + term + 1) << np.uint64(58)))
    if by_tricks:
        word = ZERO
        for seat in range(public.seats):
            word = word * np.uint64(64) + np.uint64(public.tricks_won[seat])
        total += mix(~word)
    return total


@kernel
def position_key(rules, public, privates, hidden, work):
    """Return the key (uint64) of a position between two tricks; `work` holds its roles.

    Cards to be drawn, and those that lie aside, count as themselves.
    """
    undrawn = ZERO
    for place in range(hidden.next_draw, hidden.draw_end):
        undrawn |= bit(hidden.order[place])
    if rules.between:
        for seat in range(public.seats):
            undrawn |= cards_aside(public, privates, seat)
    held = ZERO
    for seat in range(public.seats):
        held |= privates.hand[seat]
    total = ZERO
    for suit in range(rules.suits):
        rest = (held | undrawn) & rules.suit_mask[suit]
        word = ZERO
        while rest != ZERO:
            first = rest & (~rest + ONE)
            # The run of cards of one hand that begins here.
            owner = _UNDRAWN
            run = first
            if not first & undrawn:
                for seat in range(public.seats):
                    if privates.hand[seat] & first:
                        owner = np.uint64(seat)
                        beyond = rest & ~privates.hand[seat]
                        run = rest & ((beyond & (~beyond + ONE)) - ONE)
            rest &= ~run
            plain = run & ~work.special
            piece = np.uint64(count(plain)) * _MIX_A
            if owner == _UNDRAWN:
                piece = mix(first)
            marked = run & work.special
            while marked != ZERO:
                piece += mix(work.role[lowest(marked)])
                marked &= marked - ONE
            word = mix(word * _ODD + piece + owner)
        total += mix(word)
    lead = np.uint64(public.leader * 2 + public.unlocked)
    if rules.leader_namers and public.leader == public.last_winner:
        # Who leads without having won names nobody.
        lead |= np.uint64(64)
    return mix(total + mix(_progress(rules, public, hidden)) + mix(~lead))
