"""Plain rules for the decisions that only some chapters ask, for the policies that have no idea of their own about them."""

from __future__ import annotations

from sim.core.jit import ONE, ZERO, bit, kernel, lowest
from sim.tricks.decisions import (
    AGAIN,
    AHEAD,
    AHEAD_WINS,
    CLAIM,
    CURSED,
    FETCH,
    FREED,
    FROM_PILE,
    KEPT,
    LEADER,
    NOT_NOW,
    RESERVED,
    THREAT,
    TUCKED,
    UNTUCK,
    WAY,
)
from sim.tricks.policies.planning import bearable, weight_of_curse
from sim.tricks.rules import CARDS, FEWER, KEPT_SUIT, MORE

ADVICE = {
    THREAT: "plain rule: choose the number nearest to the strong cards in hand.",
    KEPT: "plain rule: keep the number nearest to the strong cards in hand.",
    AGAIN: "plain rule: draw a low number again, since high cards are easier to win.",
    WAY: "plain rule: say more with more strong cards than the number, else fewer.",
    FROM_PILE: "plain rule: take the highest card.",
    TUCKED: "plain rule: tuck the lowest card.",
    UNTUCK: "plain rule: leave the tucked card until it has to come back.",
    RESERVED: "plain rule: keep the highest card for the last trick.",
    AHEAD: "plain rule: play the lowest card ahead.",
    AHEAD_WINS: "plain rule: save the declaring card.",
    LEADER: "plain rule: lead oneself.",
    CURSED: "plain rule: let it be borne at once by whom it hinders little, else in the round with all that are still sought.",
    CLAIM: "plain rule: the lost card is for whom a kept card counts, else for whose goal names it, else for the first in turn.",
    FETCH: "plain rule: swap for a lost card that the goal asks for or that is high, and never with a seat.",
    FREED: "plain rule: be free in the first trick as soon as possible.",
}
"""Kind of decision -> the rule in words."""


@kernel
def strong_cards(rules, cards):
    """Return how many cards are likely to win a trick: those of rank 7 and above, and the declaring card."""
    total = 0
    while cards != ZERO:
        slot = lowest(cards)
        cards &= cards - ONE
        if rules.rank_of[slot] >= 7 or bit(slot) == rules.declaring:
            total += 1
    return total


@kernel
def own_cards(public, view):
    """Return the cards of the seat decided for that its person sees."""
    return public.shown[view.seat] if public.shown[view.seat] != ZERO else view.hand


@kernel
def nearest(options, wanted):
    """Return the number among `options` that is nearest to `wanted` (of two the lower one)."""
    best = lowest(options)
    while options != ZERO:
        number = lowest(options)
        options &= options - ONE
        if abs(number - wanted) < abs(best - wanted):
            best = number
    return best


@kernel
def by_rank(rules, options, sign):
    """Return the card of the highest rank (sign 1) or the lowest (-1), the first of equals."""
    best = lowest(options)
    while options != ZERO:
        slot = lowest(options)
        options &= options - ONE
        if sign * rules.rank_of[slot] > sign * rules.rank_of[best]:
            best = slot
    return best


@kernel
def asks_for(rules, public, seat, cards):
    """Return whether a seat's goal, as far as its threat is known, asks to win one of the cards of a mask."""
    role = public.character[seat]
    for term in range(rules.terms[role]):
        if rules.measure[role, term] == CARDS and rules.low[role, term] > 0:
            named = rules.term_cards[role, term]
            if rules.by_threat[role, term]:
                named &= rules.rank_mask[public.threat[seat]]
            if named & cards:
                return True
    return False


@kernel
def claimant(rules, public, options):
    """Return who gets to touch the lost card."""
    for turn in range(2):
        rest = options
        while rest != ZERO:
            seat = lowest(rest)
            rest &= rest - ONE
            role = public.character[seat]
            if turn == 1 and asks_for(rules, public, seat, public.lost):
                return seat
            for term in range(rules.terms[role]):
                if turn == 0 and rules.measure[role, term] == KEPT_SUIT:
                    return seat
    return lowest(options)


@kernel
def choose_later(rules, public, view):
    """Return the choice among view.options about a wandering curse, the group's lost card, or a gift before a trick."""
    kind = view.pending
    if kind == FREED:
        return 1
    if kind == CLAIM:
        return claimant(rules, public, view.options)
    if kind == FETCH:
        wanted = asks_for(rules, public, view.seat, public.lost)
        high = public.lost != ZERO and rules.rank_of[lowest(public.lost)] >= 7
        return view.seat if view.options & bit(view.seat) and (wanted or high) else NOT_NOW
    rest = bearable(rules, public, view)
    best = lowest(rest)
    while rest != ZERO:
        seat = lowest(rest)
        rest &= rest - ONE
        if seat != NOT_NOW and weight_of_curse(rules, public, seat) < weight_of_curse(rules, public, best):
            best = seat
    return best


@kernel
def choose(rules, public, view):
    """Return the choice among view.options: a number near the strong cards in hand, high cards late and low ones early."""
    kind = view.pending
    if kind >= CURSED:
        return choose_later(rules, public, view)
    strong = strong_cards(rules, own_cards(public, view))
    threat = max(public.threat[view.seat], view.threat[view.seat])
    if kind == THREAT or kind == KEPT:
        return nearest(view.options, strong)
    if kind == AGAIN:
        # High cards are the easier to win the fewer lie above them.
        return 1 if threat < 4 else 0
    if kind == WAY:
        return MORE if strong > threat or threat <= 1 else FEWER
    if kind == LEADER:
        return view.seat
    if kind == FROM_PILE or kind == RESERVED:
        return by_rank(rules, view.options, 1)
    if kind == UNTUCK or kind == AHEAD_WINS:
        return 0
    # To tuck, or for the first trick.
    return by_rank(rules, view.options, -1)
