"""The open pyramid of a game with two people: slots, what covers what, cards beside it.

Card (row, i) lies under the cards (row-1, i) and (row-1, i+1) of the row below. Only uncovered cards are played, and
follow-suit and the lock on Rings look at them alone. A card that becomes uncovered turns face up at the end of the
trick. Sources: [seed] two-player page; [ttcg][KR-eng] follow-suit, slots in exchanges.
"""

from __future__ import annotations

from sim.core.jit import ZERO, bit, kernel
from sim.tricks.table import NOBODY


@kernel
def open_pyramid(rules, public, hidden):
    """Give the last seat's hand to the pyramid: who controls it, which cards lie face up, which are uncovered.

    The person who was dealt the holder card controls it; when the pyramid holds it, the person on its right does.
    """
    seat = rules.seats - 1
    public.pyramid = seat
    public.controller[seat] = public.holder if public.holder != seat and public.holder != NOBODY else seat - 1
    for slot in range(rules.pyramid):
        if rules.pyramid_up & bit(slot) and hidden.slot_card[slot] != NOBODY:
            public.shown[seat] |= bit(hidden.slot_card[slot])
    uncover(rules, public, hidden)


@kernel
def uncover(rules, public, hidden):
    """Find the uncovered cards anew and turn them face up."""
    occupied = ZERO
    for slot in range(rules.pyramid):
        if hidden.slot_card[slot] != NOBODY:
            occupied |= bit(slot)
    cards = hidden.loose
    for slot in range(rules.pyramid):
        if hidden.slot_card[slot] != NOBODY and rules.pyramid_cover[slot] & occupied == ZERO:
            cards |= bit(hidden.slot_card[slot])
    public.uncovered = cards
    public.shown[public.pyramid] |= cards


@kernel
def exchangeable(rules, hidden):
    """Return the cards that a pyramid may pass: its bottom row and the cards beside it, as a mask."""
    cards = hidden.loose
    for slot in range(rules.pyramid):
        if rules.pyramid_bottom & bit(slot) and hidden.slot_card[slot] != NOBODY:
            cards |= bit(hidden.slot_card[slot])
    return cards


@kernel
def remove(rules, hidden, card_slot):
    """Take a card off the pyramid and return the slot it lay in, or -1 when it lay beside."""
    if hidden.loose & bit(card_slot):
        hidden.loose &= ~bit(card_slot)
        return NOBODY
    for slot in range(rules.pyramid):
        if hidden.slot_card[slot] == card_slot:
            hidden.slot_card[slot] = NOBODY
            return slot
    return NOBODY


@kernel
def place(hidden, card_slot, slot):
    """Lay a card into a slot, or beside the pyramid when `slot` is -1."""
    if slot == NOBODY:
        hidden.loose |= bit(card_slot)
    else:
        hidden.slot_card[slot] = card_slot
