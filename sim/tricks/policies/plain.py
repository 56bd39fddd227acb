"""Plain rules for the decisions that only some chapters ask, for the policies that have no idea of their own about them."""

from __future__ import annotations

from sim.core.jit import ONE, ZERO, bit, kernel, lowest
from sim.tricks.decisions import AGAIN, AHEAD, AHEAD_WINS, FROM_PILE, KEPT, LEADER, RESERVED, THREAT, TUCKED, UNTUCK, WAY
from sim.tricks.rules import FEWER, MORE

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
def choose(rules, public, view):
    """Return the choice among view.options: a number near the strong cards in hand, high cards late and low ones early."""
    kind = view.pending
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
