"""`script`: cooperative rules of thumb that a designer can read.

For every card it asks who will probably take the trick and what that does to everybody's goal (`needs`), then keeps what
its own goal will still need: low cards for those who must not win, high ones for those who must, the last card's suit.
In setup it takes the character that fits its hand and passes what the partner can use or what would hurt itself.
It looks at its own hand, face-up cards and public play only, and draws no random numbers.
"""

from __future__ import annotations

from sim.core.jit import ONE, ZERO, bit, count, highest, kernel, lowest
from sim.tricks import goals
from sim.tricks.engine import CARD, CHARACTER, DECLARE, EXCHANGER, PARTNER, TAKE
from sim.tricks.needs import find_needs, worth
from sim.tricks.rules import (
    ABSOLUTE,
    CARDS,
    FEWEST,
    KEPT_SUIT,
    LAST_CARD,
    LATE_TRICKS,
    NO_LIMIT,
    STREAK,
    TRICKS,
    TRICKS_WITH,
)
from sim.tricks.table import NOBODY, at_left

VERSION = 1

GREEDY = 1
SHY = -1


@kernel
def appetite(public, seat):
    """Return GREEDY when the seat's goal wants more tricks, SHY when it must avoid them, else 0."""
    for term in range(public.terms[seat]):
        measure = public.measure[seat, term]
        if measure == TRICKS:
            if public.compare[seat, term] == FEWEST or public.tricks_won[seat] >= public.high[seat, term]:
                return SHY
            if public.tricks_won[seat] < public.low[seat, term]:
                return GREEDY
            if public.high[seat, term] < NO_LIMIT:
                return SHY
        elif measure == STREAK:
            return SHY if public.tricks_won[seat] >= public.high[seat, term] else GREEDY
        elif measure == CARDS and public.compare[seat, term] == ABSOLUTE:
            if goals.cards_won(public, seat, public.term_cards[seat, term]) < public.low[seat, term]:
                return GREEDY
        elif measure == TRICKS_WITH or measure == LATE_TRICKS or measure == KEPT_SUIT:
            return GREEDY
    return 0


@kernel
def out_of_sight(rules, public, view, seat):
    """Return the cards that the deciding person cannot place: not played, not lost, not in hand, not face up."""
    cards = goals.unplayed(rules, public) & ~public.in_trick & ~view.hand
    for other in range(public.seats):
        cards &= ~public.shown[other]
    return cards


@kernel
def chance_beaten(rules, public, unseen, suit_cards, best, seat):
    """Return (per mille, seat) of the later seats beating `best`, a slot of the led suit: how likely, and most likely who.

    Face-up hands are looked at; hidden ones hold the unseen cards with equal chance, except where they showed a void.
    """
    higher = suit_cards & ~((bit(best) << ONE) - ONE)
    hidden_higher = count(higher & unseen)
    total = count(unseen)
    safe = 1000
    likely = NOBODY
    most = 0
    for step in range(1, public.seats):
        other = at_left(seat, step, public.seats)
        if public.trick_card[other] != NOBODY or public.plays_left[other] == 0:
            continue
        chance = 0
        visible = public.shown[other]
        if other == public.pyramid:
            visible = public.uncovered
        if visible != ZERO:
            follows = visible & suit_cards
            if follows & higher:
                chance = 1000 if follows & ~higher == ZERO else 500
        elif not public.voids[other] & suit_cards and total > 0:
            keep = 1000
            for _ in range(min(hidden_higher, 8)):
                keep = keep * max(0, total - public.cards_left[other]) // total
            chance = 1000 - keep
        safe = safe * (1000 - chance) // 1000
        if chance > most:
            most = chance
            likely = other
    return 1000 - safe, likely


@kernel
def prospect(rules, public, view, unseen, seat, slot):
    """Return the points to expect when `seat` plays `slot` without declaring: who takes the trick, with what."""
    cards = public.in_trick | bit(slot)
    led = public.led_suit
    if led == NOBODY:
        led = rules.suit_of[slot]
    suit_cards = rules.suit_mask[led]
    if cards & suit_cards == ZERO:
        # The card that leads lies face down.
        return worth(public, view, public.leader, cards)
    best = highest(cards & suit_cards)
    winner = seat
    if best != slot:
        for other in range(public.seats):
            if public.trick_card[other] == best:
                winner = other
    if public.declared != NOBODY:
        return worth(public, view, public.declared, cards)
    points = worth(public, view, winner, cards)
    beaten, who = chance_beaten(rules, public, unseen, suit_cards, best, seat)
    if who == NOBODY:
        return points
    other_points = worth(public, view, who, cards)
    if other_points < points:
        # A partner who sees that it does harm beats the card only when it has to.
        beaten //= 2
    return (points * (1000 - beaten) + other_points * beaten) // 1000


@kernel
def thrift(rules, public, view, seat, slot, wants):
    """Return small points for what the seat keeps in hand after playing `slot`."""
    rank = rules.rank_of[slot]
    points = rank * 3 if wants == SHY else -rank
    if wants == GREEDY:
        points = -rank * 2
    hand = view.hand
    if seat == public.pyramid:
        hand = public.shown[seat]
    for term in range(public.terms[seat]):
        if public.measure[seat, term] == LAST_CARD and public.term_cards[seat, term] & bit(slot):
            kept = count(hand & public.term_cards[seat, term])
            if kept == 1:
                points -= 500
            elif kept == 2:
                points -= 60
    if bit(slot) == rules.declaring:
        points -= 60
    return points


@kernel
def choose_card(rules, public, view):
    """Return the option with the most points."""
    seat = view.seat
    options = view.options
    unseen = out_of_sight(rules, public, view, seat)
    wants = appetite(public, seat)
    best = lowest(options)
    most = -(10**9)
    rest = options
    while rest != ZERO:
        slot = lowest(rest)
        rest &= rest - ONE
        points = prospect(rules, public, view, unseen, seat, slot)
        if bit(slot) == rules.declaring and not rules.declare_after:
            points = max(points, worth(public, view, seat, public.in_trick | bit(slot)))
        points = points * 4 + thrift(rules, public, view, seat, slot, wants)
        if points > most:
            most = points
            best = slot
    return best


@kernel
def choose_declare(rules, public, view):
    """Declare when taking the trick is worth more than what is to be expected otherwise."""
    seat = view.seat
    unseen = out_of_sight(rules, public, view, seat)
    undeclared = prospect(rules, public, view, unseen, seat, public.trick_card[seat])
    return worth(public, view, seat, public.in_trick) > undeclared


@kernel
def power(rules, hand):
    """Return how many points of high cards a hand has: the rank above 4 of every card, in all suits."""
    points = 0
    while hand != ZERO:
        points += max(0, rules.rank_of[lowest(hand)] - 4)
        hand &= hand - ONE
    return points


@kernel
def fit(rules, public, hand, role):
    """Return how well a hand suits a character's goal, in points."""
    size = max(1, count(hand))
    average = (power(rules, hand) * 100) // size
    points = 0
    for term in range(rules.terms[role]):
        measure = rules.measure[role, term]
        if measure == TRICKS:
            if rules.compare[role, term] == FEWEST:
                points -= average
            elif rules.high[role, term] < NO_LIMIT and not rules.high_threat[role, term]:
                points -= average // 2
            else:
                points += average * min(3, rules.low[role, term]) // 3
        elif measure == LAST_CARD:
            points += 30 * count(hand & rules.term_cards[role, term]) - 60
        elif measure == CARDS and rules.low[role, term] > 0:
            points += average // 2
        else:
            points += average // 3
    return points


@kernel
def visible_hand(public, view, seat):
    """Return the cards of `seat` that the deciding person sees: the own hand, or the face-up cards of an open one."""
    if public.shown[seat] != ZERO:
        return public.shown[seat]
    return view.hand


@kernel
def choose_character(rules, public, view, seat, options):
    """Take the character that the hand fits best."""
    hand = visible_hand(public, view, seat)
    best = lowest(options)
    most = -(10**9)
    while options != ZERO:
        role = lowest(options)
        options &= options - ONE
        points = fit(rules, public, hand, role)
        if points > most:
            most = points
            best = role
    return best


@kernel
def choose_exchanger(rules, public, view, options):
    """Solo: let the first character on the holder's left exchange that may."""
    for step in range(1, rules.seats + 1):
        seat = at_left(public.holder, step, rules.seats)
        if options & bit(seat):
            return seat
    return lowest(options)


@kernel
def _role_wants(rules, role):
    """Return GREEDY or SHY by the tricks that a character's goal wants at the start, else 0."""
    for term in range(rules.terms[role]):
        if rules.measure[role, term] == TRICKS:
            if rules.compare[role, term] == FEWEST or rules.high[role, term] < NO_LIMIT:
                return SHY
            return GREEDY
        if rules.measure[role, term] == LAST_CARD:
            return 0
    return GREEDY


@kernel
def _use(rules, public, seat, slot):
    """Return what a card is worth in the hand of `seat`, in points."""
    role = public.character[seat]
    rank = rules.rank_of[slot]
    card = bit(slot)
    wants = _role_wants(rules, role)
    points = rank * 4 * wants
    for term in range(rules.terms[role]):
        cards = rules.term_cards[role, term]
        if rules.by_threat[role, term]:
            cards &= rules.rank_mask[public.threat[seat]]
        if not card & cards:
            continue
        if rules.measure[role, term] == LAST_CARD:
            points += 20
        elif rules.measure[role, term] == CARDS and rules.low[role, term] > 0:
            # A single card is easier won from somebody else; of many, the high ones win the others.
            points += -30 if count(cards) == 1 else 12
    return points


@kernel
def choose_partner(rules, public, view, seat, options):
    """Exchange with the partner whose wish for tricks differs most from one's own."""
    best = lowest(options)
    most = -(10**9)
    wants = _role_wants(rules, public.character[seat])
    while options != ZERO:
        other = lowest(options)
        options &= options - ONE
        points = wants - _role_wants(rules, public.character[other])
        points = points * points
        if points > most:
            most = points
            best = other
    return best


@kernel
def choose_given(rules, public, view, seat, options, partner):
    """Pass the card that gains most by the move."""
    best = lowest(options)
    most = -(10**9)
    while options != ZERO:
        slot = lowest(options)
        options &= options - ONE
        points = _use(rules, public, partner, slot) - _use(rules, public, seat, slot)
        if points > most:
            most = points
            best = slot
    return best


@kernel
def choose(rules, public, view):
    """Return the choice among view.options."""
    kind = view.pending
    if kind == CARD or kind == DECLARE:
        if view.prepared != public.trick:
            find_needs(rules, public, view)
            view.prepared = public.trick
        if kind == CARD:
            return choose_card(rules, public, view)
        return 1 if choose_declare(rules, public, view) else 0
    if kind == CHARACTER:
        return choose_character(rules, public, view, view.seat, view.options)
    if kind == EXCHANGER:
        return choose_exchanger(rules, public, view, view.options)
    if kind == PARTNER:
        return choose_partner(rules, public, view, view.seat, view.options)
    if kind == TAKE:
        return 1
    # A card given, or given back, whichever helps both hands most; one's own when none does.
    return choose_given(rules, public, view, view.seat, view.options, view.partner)
