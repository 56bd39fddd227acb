"""Cards that do the same: neighbours in a hand with no card between them that anybody can still play."""

from __future__ import annotations

from sim.core.jit import ONE, ZERO, bit, highest, inlined, kernel, lowest
from sim.tricks.policies.features import out_of_sight, prepare_trick


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
    for seat in range(public.seats):
        between |= view.known[seat]
        if seat != view.seat:
            between |= public.shown[seat]
    kept = ZERO
    rest = view.options
    last = -1
    while rest != ZERO:
        slot = lowest(rest)
        rest &= rest - ONE
        if last >= 0 and rules.suit_of[slot] == rules.suit_of[last] and between & (bit(slot) - (bit(last) << ONE)) == ZERO:
            if bit(last) != rules.declaring and same_use(public, view, last, slot):
                last = slot
                continue
        kept |= bit(slot)
        last = slot
    return kept
