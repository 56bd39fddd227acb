"""Cards that do the same: neighbours in a hand with no card between them that anybody can still play."""

from __future__ import annotations

from sim.core.jit import ONE, ZERO, bit, highest, inlined, kernel, lowest
from sim.tricks.policies.features import out_of_sight, prepare_trick
from sim.tricks.rules import SEATS


@inlined
def cut(cards, both):
    """Return whether one of two cards, but not the other, is among `cards`."""
    return cards & both != ZERO and both & ~cards != ZERO


@kernel
def same_use(public, view, a, b):
    """Return whether two cards (slots) count alike for every goal: in or out of each set of cards that a seat wants or hates."""
    both = bit(a) | bit(b)
    for seat in range(public.seats):
        if cut(view.wanted[seat], both) or cut(view.hated[seat], both) or cut(view.inside[seat], both):
            return False
    return True


@inlined
def stands_for(kept, slot):
    """Return the one of the cards `kept` by `unlike` that stands for the option `slot`: itself, or the lower one it is like."""
    return highest(kept & (bit(slot) | (bit(slot) - ONE)))


@kernel
def unlike(rules, public, view):
    """Return the options of a decision on a card less those that do the same as a lower one.

    Of neighbours in rank, with all cards between them played, lost or in the same hand, the lowest stands for all, as long as
    they count alike for every goal.
    """
    if view.options & (view.options - ONE) == ZERO:
        return view.options
    if view.prepared != public.trick:
        prepare_trick(rules, public, view)
    if rules.reveal_test or view.ranks_count:
        return view.options
    # A card on the table still stands between two others: one beats it, one does not.
    between = public.in_trick | out_of_sight(rules, public, view)
    for seat in range(SEATS):
        between |= view.known[seat]
        if seat != view.seat:
            between |= public.shown[seat]
    options = view.options
    # One is added above each option; through cards of the suit that nobody can play it carries on, and stops at the next.
    top = bit(highest(options))
    through = ~(between | options | rules.suit_starts) & (top - ONE)
    above = (options & ~rules.declaring & (top - ONE)) << ONE
    alike = (above + through) & ~through & options & ~rules.suit_starts
    kept = options & ~alike
    while alike != ZERO:
        slot = lowest(alike)
        alike &= alike - ONE
        below = highest(options & (bit(slot) - ONE))
        if (bit(slot) | bit(below)) & view.named_by_goals != ZERO and not same_use(public, view, below, slot):
            kept |= bit(slot)
    return kept
